// Lists formats for the overlay and for hiding faces, one of each kind.
#pragma once

#include <ostream>
#include <vector>

#include "core/frame.h"

namespace facepipe::test {

struct FormatCase {
  const char* name;
  PixelFormat format;
  bool alpha;
};

// Columns: name; semi-planar, log2 of the chroma cell's width and height, bits, shift, has chroma;
// has alpha.
inline const std::vector<FormatCase> kFormats{
    {"yuv420p", {false, 1, 1, 8, 0, true}, false},
    {"yuv422p", {false, 1, 0, 8, 0, true}, false},
    {"yuv444p", {false, 0, 0, 8, 0, true}, false},
    {"yuv411p", {false, 2, 0, 8, 0, true}, false},
    {"yuv440p", {false, 0, 1, 8, 0, true}, false},
    {"yuv410p", {false, 2, 2, 8, 0, true}, false},
    {"nv12", {true, 1, 1, 8, 0, true}, false},
    {"nv16", {true, 1, 0, 8, 0, true}, false},
    {"nv24", {true, 0, 0, 8, 0, true}, false},
    {"p010", {true, 1, 1, 10, 6, true}, false},
    {"p016", {true, 1, 1, 16, 0, true}, false},
    {"yuv420p9", {false, 1, 1, 9, 0, true}, false},
    {"yuv420p10", {false, 1, 1, 10, 0, true}, false},
    {"yuv422p12", {false, 1, 0, 12, 0, true}, false},
    {"yuv444p16", {false, 0, 0, 16, 0, true}, false},
    {"gray", {false, 0, 0, 8, 0, false}, false},
    {"gray10", {false, 1, 1, 10, 0, false}, false},
    {"yuva420p", {false, 1, 1, 8, 0, true}, true},
    {"yuva444p10", {false, 0, 0, 10, 0, true}, true},
};

inline void PrintTo(const FormatCase& format, std::ostream* out) { *out << format.name; }

}  // namespace facepipe::test
