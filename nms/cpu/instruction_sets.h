// Which instruction set the CPU's suppressors use, by Highway's names: AVX3 is AVX-512 (F, BW, CD,
// DQ and VL). Results don't depend on it.
#pragma once

#include <string_view>
#include <vector>

namespace facepipe::nms {

/// In use: the best that this processor has, unless another was forced.
std::string_view instruction_set();

/// Those that the library is compiled for and this processor has, the best first.
std::vector<std::string_view> instruction_sets();

/// For tests and measurements; no suppressor may be running. Throws std::invalid_argument for a
/// name that instruction_sets() doesn't have.
void force_instruction_set(std::string_view name);

/// Undoes it.
void use_best_instruction_set();

}  // namespace facepipe::nms
