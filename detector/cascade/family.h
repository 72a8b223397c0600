// Declares the family of detectors that are cascades of boosted classifiers. Their files are
// OpenCV's XML.
#pragma once

#include "detector/family.h"

namespace facepipe::detector::cascade {

extern const Family kFamily;

}  // namespace facepipe::detector::cascade
