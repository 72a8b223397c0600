// Contains the files of ranges in i8_ranges/, which are compiled in.
#pragma once

#include <span>
#include <string_view>

namespace facepipe::detector {

extern const std::span<const std::string_view> kBuiltInI8Ranges;

}  // namespace facepipe::detector
