// Which instruction set the CPU's suppressors use, by Highway's names: AVX3 is AVX-512 (F, BW, CD,
// DQ and VL). Results are the same with all of them.
#pragma once

#include <string_view>
#include <vector>

namespace facepipe::test {

/// The one in use: the best that this processor has, unless another one was forced.
std::string_view instruction_set();

/// All that the library is compiled for and this processor has, the best first.
std::vector<std::string_view> instruction_sets();

/// For tests and measurements; no suppressor may be running. Throws std::invalid_argument for a
/// name that instruction_sets() doesn't have.
void force_instruction_set(std::string_view name);

/// Undoes force_instruction_set().
void use_best_instruction_set();

}  // namespace facepipe::test
