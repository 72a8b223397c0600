// Suppresses random candidates on the device and on the CPU, and compares the results. Most cases
// are small.
//
//   nms_cuda_differential COUNT [SEED]
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

constexpr std::uint32_t kCapacity = 4096;

nms::NmsOptions some_cuda_options(NmsRandom& random) {
  nms::NmsOptions options = some_options(random);
  if (options.rule == nms::NmsRule::matrix)
    options.matrix = {kCapacity, 4 + random.below(76), random.below(2) == 0, random.below(2) == 0};
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

/// Combines many small cases into one case. Their boxes lie either side by side, so that the
/// kernels distribute them among blocks, or in one place, so that too many boxes overlap and the
/// kernels use the fallback.
NmsCase some_scene(NmsRandom& random) {
  NmsCase scene;
  const bool apart = random.below(2) == 0;
  scene.name = apart ? "cases side by side" : "cases in one place";
  const unsigned cases = 1 + random.below(100);
  for (unsigned c = 0; c < cases && scene.size() + 200 < kCapacity; ++c) {
    const NmsCase one = some_case(random);
    const auto dx = static_cast<float>(apart ? 128 * (c % 20) : 0);
    const auto dy = static_cast<float>(apart ? 128 * (c / 20) : 0);
    for (std::size_t i = 0; i < one.size(); ++i) {
      const Box& box = one.boxes[i];
      scene.add({box.x1 + dx, box.y1 + dy, box.x2 + dx, box.y2 + dy}, one.scores[i]);
    }
  }
  return scene;
}

constexpr std::size_t kCasesOfASeed = 64;
constexpr unsigned kOneSceneIn = 16;  // one in this many cases is a scene

/// Runs the cases of a seed, which have the same options. Returns the number of cases in which
/// device and CPU differ.
std::size_t wrong_with(unsigned seed) {
  NmsRandom random(seed);
  const nms::NmsOptions options = some_cuda_options(random);
  DeviceNms device(options, kCapacity);
  nms::CpuSuppressor cpu(options, kCapacity);
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < kCasesOfASeed; ++c) {
    const NmsCase all = random.below(kOneSceneIn) == 0 ? some_scene(random) : some_case(random);
    const nms::NmsCandidates candidates{all.boxes, all.scores};
    const DeviceResult result = device.run(candidates);
    const NmsAnswer answer{result.indices, result.boxes, result.scores};
    if (answer == answer_of(cpu.run(candidates))) continue;
    ++wrong;
    std::printf("seed %u: case %zu, %s\n", seed, c, show(options, all).c_str());
  }
  return wrong;
}

int check(std::size_t count, unsigned seed) {
  std::size_t cases = 0;
  std::size_t wrong = 0;
  for (; cases < count && wrong < 10; ++seed, cases += kCasesOfASeed) wrong += wrong_with(seed);
  std::printf("%zu cases, %zu wrong\n", cases, wrong);
  return wrong == 0 ? 0 : 1;
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
