// Holds the looks of a page.
#pragma once

namespace facepipe::app {

/// The rules of a page, for light and dark, wide and narrow, and for paper.
extern const char* const kPageStyle;

}  // namespace facepipe::app
