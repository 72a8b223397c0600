// Random small cases, many in one launch as groups, each as the CPU does it alone.
//
//   nms_cuda_differential COUNT [SEED]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "nms/cpu/suppressor.h"
#include "tests/nms/cuda/device_nms.h"
#include "tests/nms/random_cases.h"
#include "tests/support/nms_cases.h"
#include "tests/support/nms_scalar.h"

namespace facepipe::test {
namespace {

constexpr std::uint32_t kCapacity = 16384;

NmsOptions some_cuda_options(NmsRandom& random) {
  NmsOptions options = some_options(random);
  if (options.rule == NmsRule::matrix)
    options.matrix = {kCapacity, 16 + random.below(64), random.below(2) == 0, random.below(2) == 0};
  return options;
}

NmsCase some_case(NmsRandom& random) {
  const std::size_t count = random.below(16) == 0 ? random.below(200) : random.below(30);
  const unsigned seed = random.below(1U << 30);
  switch (random.below(6)) {
    case 0:
      return wide_faces(count, seed);
    case 1:
      return degenerate(count, seed);
    default:
      return small_case(random, count);
  }
}

/// Cases side by side, or all in one place.
struct Batch {
  std::vector<NmsCase> cases;
  NmsCase all;
  std::vector<std::uint32_t> groups;
  std::vector<std::uint32_t> starts;
};

Batch some_batch(NmsRandom& random) {
  Batch batch;
  const unsigned cases = 1 + random.below(random.below(2) == 0 ? 60 : 400);
  const bool apart = random.below(2) == 0;
  for (unsigned c = 0; c < cases && batch.all.size() + 200 < kCapacity; ++c) {
    NmsCase one = some_case(random);
    const auto dx = static_cast<float>(apart ? 128 * (c % 20) : 0);
    const auto dy = static_cast<float>(apart ? 128 * (c / 20) : 0);
    batch.starts.push_back(static_cast<std::uint32_t>(batch.all.size()));
    for (std::size_t i = 0; i < one.size(); ++i) {
      Box& box = one.boxes[i];
      box = {box.x1 + dx, box.y1 + dy, box.x2 + dx, box.y2 + dy};
      batch.all.add(box, one.scores[i]);
      batch.groups.push_back(c);
    }
    batch.cases.push_back(std::move(one));
  }
  return batch;
}

/// What of a launch's result belongs to each case, its indices counted from the case's first.
std::vector<NmsAnswer> split(const Batch& batch, const DeviceResult& result) {
  std::vector<NmsAnswer> out(batch.cases.size());
  for (std::size_t k = 0; k < result.indices.size(); ++k) {
    const std::uint32_t index = result.indices[k];
    const std::uint32_t group = batch.groups.at(index);
    out[group].indices.push_back(index - batch.starts[group]);
    if (!result.boxes.empty()) out[group].boxes.push_back(result.boxes[k]);
    if (!result.scores.empty()) out[group].scores.push_back(result.scores[k]);
  }
  return out;
}

/// How many cases a batch had and how many of them were wrong.
struct Tally {
  std::size_t cases = 0;
  std::size_t wrong = 0;
};

Tally run_batches(const NmsOptions& options, NmsRandom& random, unsigned batches) {
  DeviceNms device(options, kCapacity, true);
  CpuSuppressor cpu(options, kCapacity);
  Tally tally;
  for (unsigned b = 0; b < batches; ++b) {
    const Batch batch = some_batch(random);
    const DeviceResult result = device.run({batch.all.boxes, batch.all.scores, batch.groups});
    const std::vector<NmsAnswer> answers = split(batch, result);
    for (std::size_t c = 0; c < batch.cases.size(); ++c) {
      const NmsCase& one = batch.cases[c];
      ++tally.cases;
      if (answers[c] == answer_of(cpu.run({one.boxes, one.scores, {}}))) continue;
      ++tally.wrong;
      std::printf("%s, %s, threshold %g%s: case %zu of %zu, %zu candidates\n",
                  std::string(name_of(options.rule)).c_str(),
                  std::string(name_of(options.overlap)).c_str(),
                  static_cast<double>(options.threshold), options.voting ? ", voting" : "", c,
                  batch.cases.size(), one.size());
    }
  }
  return tally;
}

int check(std::size_t count, unsigned seed) {
  Tally all;
  for (; all.cases < count && all.wrong < 10; ++seed) {
    NmsRandom random(seed);
    const NmsOptions options = some_cuda_options(random);
    const Tally tally = run_batches(options, random, 20);
    all.cases += tally.cases;
    if (tally.wrong != 0) std::printf("  seed %u\n", seed);
    all.wrong += tally.wrong;
  }
  std::printf("%zu cases, %zu wrong\n", all.cases, all.wrong);
  return all.wrong == 0 ? 0 : 1;
}

bool device_is_there() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

}  // namespace
}  // namespace facepipe::test

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: nms_cuda_differential COUNT [SEED]\n");
    return 2;
  }
  constexpr int kSkipped = 77;
  try {
    if (!facepipe::test::device_is_there()) {
      std::fprintf(stderr, "no CUDA device: skipped\n");
      const char* const required = std::getenv("FACEPIPE_REQUIRE_CUDA");
      return required != nullptr && std::string(required) == "1" ? 1 : kSkipped;
    }
    const std::size_t count = std::strtoul(argv[1], nullptr, 10);
    const auto seed = static_cast<unsigned>(argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 1);
    return facepipe::test::check(count, seed);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "nms_cuda_differential: %s\n", failure.what());
    return 1;
  }
}
