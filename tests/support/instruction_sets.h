// Tells and chooses the instruction set of the CPU's suppressors, by Highway's names: AVX3 is
// AVX-512 (F, BW, CD, DQ and VL). All of them give the same results.
#pragma once

#include <string_view>
#include <vector>

namespace facepipe::test {

/// Returns the one in use: the best that this processor has, unless another one was forced.
std::string_view instruction_set();

/// Returns all sets that the library is compiled for and this processor has, the best first.
std::vector<std::string_view> instruction_sets();

/// Forces a set, for tests and measurements; no suppressor may be running. Throws
/// std::invalid_argument if instruction_sets() doesn't have the name.
void force_instruction_set(std::string_view name);

/// Undoes force_instruction_set().
void use_best_instruction_set();

}  // namespace facepipe::test
