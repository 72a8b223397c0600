// The family of cascades of boosted classifiers, whose files are OpenCV's XML.
#pragma once

#include "detector/family.h"

namespace facepipe::detector::cascade {

extern const Family kFamily;

}  // namespace facepipe::detector::cascade
