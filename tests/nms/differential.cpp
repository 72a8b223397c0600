// Runs random small cases by the CPU's suppressor, and by an oracle that applies predicate.h to one
// pair at a time. If the arithmetic is exact, the result is also compared with the definition. For
// the rule groups, the same number of cases is compared with plain loops.
//
//   nms_differential COUNT [SEED]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "nms/agreement.h"
#include "tests/nms/group_cases.h"
#include "tests/nms/on_cpu.h"
#include "tests/nms/random_cases.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/nms_oracle.h"

namespace facepipe::test {
namespace {

nms::NmsOptions some_cpu_options(NmsRandom& random) {
  nms::NmsOptions options = some_options(random);
  if (options.rule == nms::NmsRule::matrix) {
    options.matrix.squares = random.below(2) == 0;
    options.matrix.plus_one = random.below(2) == 0;
  }
  return options;
}

NmsCase some_case(NmsRandom& random) {
  const std::size_t count = random.below(16) == 0 ? random.below(400) : random.below(36);
  const unsigned seed = random.below(1U << 30);
  switch (random.below(6)) {
    case 0:
      return wide_faces(count, seed);
    case 1:
      return degenerate(count, seed);
    case 2:
      return torchvision_random(count, 0.5F, seed);
    default:
      return small_case(random, count);
  }
}

/// Runs one random case. Returns a description of the error, or "" if there is none.
std::string wrong_with(unsigned seed) {
  NmsRandom random(seed);
  const nms::NmsOptions options = some_cpu_options(random);
  const NmsCase all = some_case(random);
  const nms::NmsCandidates candidates = candidates_of(all);
  nms::CpuSuppressor suppressor(options, 512);
  const NmsAnswer answer = answer_of(suppressor.run(candidates));
  if (!(answer == NmsScalar(options, candidates).answer()))
    return show(options, all) + ": not the bits of predicate.h";
  const bool exact = all.name == "small" && options.overlap != nms::NmsOverlap::diou;
  if (!exact) return "";
  if (options.rule == nms::NmsRule::soft)
    return wrong_in_soft_nms(options, all.boxes, all.scores, answer.indices, answer.scores);
  return NmsOracle(options, all.boxes, all.scores).kept() == answer.indices
             ? ""
             : show(options, all) + ": not what the definition keeps";
}

std::string wrong_with_groups(unsigned seed) {
  NmsRandom random(seed);
  const std::uint32_t min_neighbours = 1 + random.below(4);
  const float step = random.below(2) == 0 ? 1 : 0.25F;
  const std::size_t count = random.below(120);
  const NmsCase all = random.below(3) == 0 ? some_case(random)
                                           : similar_clusters(count, step, random.below(1U << 30));
  const nms::NmsOptions options = by_groups(min_neighbours);
  if (!(on_cpu(options, all) == grouped_by_oracle(all, min_neighbours)))
    return show(options, all) + ": not what the definition keeps";
  return nms::measure_agreement(all.boxes) == oracle_agreement(all.boxes)
             ? ""
             : show(options, all) + ": not what agrees";
}

int check(unsigned count, unsigned first_seed) {
  const auto sets = test::instruction_sets();
  unsigned wrong = 0;
  for (unsigned i = 0; i < count && wrong < 10; ++i) {
    const std::string_view set = sets[i % sets.size()];
    test::force_instruction_set(set);
    std::string message = wrong_with(first_seed + i);
    if (message.empty()) message = wrong_with_groups(first_seed + i);
    if (message.empty()) continue;
    ++wrong;
    std::printf("seed %u on %s: %s\n", first_seed + i, std::string(set).c_str(), message.c_str());
  }
  std::printf("%u cases, %u wrong; instruction sets:", count, wrong);
  for (const std::string_view set : sets) std::printf(" %s", std::string(set).c_str());
  std::printf("\n");
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace facepipe::test

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: nms_differential COUNT [SEED]\n");
    return 2;
  }
  const auto number = [](const char* text) {
    return static_cast<unsigned>(std::strtoul(text, nullptr, 10));
  };
  try {
    return facepipe::test::check(number(argv[1]), argc == 3 ? number(argv[2]) : 1);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "nms_differential: %s\n", failure.what());
    return 1;
  }
}
