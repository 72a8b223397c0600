// Returns and chooses the instruction set that the CPU's suppressors use. Names are those of
// Highway: AVX3 is AVX-512 (F, BW, CD, DQ and VL). All instruction sets give the same results.
#pragma once

#include <string_view>
#include <vector>

namespace facepipe::test {

/// Returns the instruction set in use. This is the forced instruction set, or the best one of this
/// processor if none is forced.
std::string_view instruction_set();

/// Returns all instruction sets for which the library is compiled and that this processor has, the
/// best one first.
std::vector<std::string_view> instruction_sets();

/// Forces an instruction set, for tests and measurements. No suppressor may run during the call.
/// Throws std::invalid_argument if instruction_sets() doesn't contain the name.
void force_instruction_set(std::string_view name);

/// Undoes force_instruction_set().
void use_best_instruction_set();

}  // namespace facepipe::test
