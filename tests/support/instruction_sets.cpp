#include "tests/support/instruction_sets.h"

#include <cstdint>
#include <stdexcept>
#include <string>

// Highway compiles the following code once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/support/instruction_sets.cpp"
#include <hwy/foreach_target.h>
// Highway requires this header after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace facepipe::test::HWY_NAMESPACE {

const char* name_of_this() { return hwy::TargetName(HWY_TARGET); }

}  // namespace facepipe::test::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace facepipe::test {

HWY_EXPORT(name_of_this);

std::string_view instruction_set() {
  // Highway chooses an instruction set at the first call of any dispatched function, for example of
  // name_of_this().
  return HWY_DYNAMIC_DISPATCH(name_of_this)();
}

std::vector<std::string_view> instruction_sets() {
  std::vector<std::string_view> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
    names.emplace_back(hwy::TargetName(target));
  return names;
}

void force_instruction_set(std::string_view name) {
  // Without this call, only the instruction set that was forced last would count as supported.
  use_best_instruction_set();
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name != hwy::TargetName(target)) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    return;
  }
  throw std::invalid_argument("no instruction set of this processor: " + std::string(name));
}

void use_best_instruction_set() {
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace facepipe::test
#endif  // HWY_ONCE
