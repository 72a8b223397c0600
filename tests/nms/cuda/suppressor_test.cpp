// These tests compare suppression on the device with the CPU, bit for bit. They use every rule, and
// every number of candidates at which the kernels switch to another method.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "nms/cpu/suppressor.h"
#include "tests/nms/cuda/device_nms.h"
#include "tests/nms/group_cases.h"
#include "tests/support/expect_error.h"
#include "tests/support/nms_cases.h"
#include "tests/support/nms_scalar.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct RuleCase {
  const char* name;
  nms::NmsOptions options;
  friend void PrintTo(const RuleCase& rule, std::ostream* out) { *out << rule.name; }
};

std::vector<RuleCase> rule_cases() {
  std::vector<RuleCase> out;
  const auto add = [&](const char* name, auto change) {
    out.push_back({name, {}});
    change(out.back().options);
  };
  add("greedy_0", [](nms::NmsOptions& o) { o.threshold = 0; });
  add("greedy_30", [](nms::NmsOptions& o) { o.threshold = 0.3F; });
  add("greedy_50", [](nms::NmsOptions& o) { o.threshold = 0.5F; });
  add("greedy_100", [](nms::NmsOptions& o) { o.threshold = 1; });
  add("greedy_diou", [](nms::NmsOptions& o) { o.overlap = nms::NmsOverlap::diou; });
  add("greedy_winner_area", [](nms::NmsOptions& o) { o.overlap = nms::NmsOverlap::winner_area; });
  add("greedy_smaller_area", [](nms::NmsOptions& o) { o.overlap = nms::NmsOverlap::smaller_area; });
  add("greedy_voting", [](nms::NmsOptions& o) { o.voting = true; });
  add("greedy_diou_voting", [](nms::NmsOptions& o) {
    o.overlap = nms::NmsOverlap::diou;
    o.voting = true;
  });
  add("fast", [](nms::NmsOptions& o) { o.rule = nms::NmsRule::fast; });
  add("fast_diou", [](nms::NmsOptions& o) {
    o.rule = nms::NmsRule::fast;
    o.overlap = nms::NmsOverlap::diou;
  });
  add("fast_winner_area_voting", [](nms::NmsOptions& o) {
    o.rule = nms::NmsRule::fast;
    o.overlap = nms::NmsOverlap::winner_area;
    o.voting = true;
  });
  add("matrix", [](nms::NmsOptions& o) { o.rule = nms::NmsRule::matrix; });
  add("matrix_as_published", [](nms::NmsOptions& o) {
    o.rule = nms::NmsRule::matrix;
    o.overlap = nms::NmsOverlap::winner_area;
    o.threshold = 0.5F;
    o.matrix.squares = true;
    o.matrix.plus_one = true;
  });
  add("matrix_odd_partitions", [](nms::NmsOptions& o) {
    o.rule = nms::NmsRule::matrix;
    o.overlap = nms::NmsOverlap::diou;
    o.matrix.d_max = 4099;
    o.matrix.k = 7;
    o.voting = true;
  });
  add("soft_gaussian", [](nms::NmsOptions& o) { o.rule = nms::NmsRule::soft; });
  add("soft_linear", [](nms::NmsOptions& o) {
    o.rule = nms::NmsRule::soft;
    o.soft.decay = nms::SoftDecay::linear;
  });
  add("groups", [](nms::NmsOptions& o) { o.rule = nms::NmsRule::groups; });
  add("groups_of_two", [](nms::NmsOptions& o) {
    o.rule = nms::NmsRule::groups;
    o.groups.min_neighbours = 1;
  });
  return out;
}

std::string show(const RuleCase& rule, const NmsCase& all) {
  return std::string(rule.name) + ", " + all.name + " of " + std::to_string(all.size());
}

class CudaNms : public testing::TestWithParam<RuleCase> {
 protected:
  static constexpr std::uint32_t kCapacity = 4096;

  /// Runs the case on the device and on the CPU, and expects equal results.
  static void expect_equal(DeviceNms& device, const NmsCase& all) {
    nms::CpuSuppressor cpu(GetParam().options, kCapacity);
    const nms::NmsCandidates candidates{all.boxes, all.scores};
    const nms::NmsKept kept = cpu.run(candidates);
    const NmsAnswer expected = answer_of(kept);
    const DeviceResult result = device.run(candidates);
    ASSERT_EQ(result.indices, expected.indices) << show(GetParam(), all);
    EXPECT_EQ(result.boxes, expected.boxes) << show(GetParam(), all);
    EXPECT_EQ(result.scores, expected.scores) << show(GetParam(), all);
    EXPECT_EQ(result.beyond_capacity, kept.beyond_capacity) << show(GetParam(), all);
  }
};

TEST_P(CudaNms, EqualsTheCpuAtEverySize) {
  DeviceNms device(GetParam().options, kCapacity);
  for (const std::size_t count : edge_sizes()) {
    for (const NmsCase& all : exact_cases(count, static_cast<unsigned>(count)))
      expect_equal(device, all);
    expect_equal(device, wide_faces(count));
    expect_equal(device, chain(count));
    expect_equal(device, shuffled(chain(count), 3));
  }
}

TEST_P(CudaNms, EqualsTheCpuOnBoxesThatAreNone) {
  DeviceNms device(GetParam().options, kCapacity);
  for (const std::size_t count : edge_sizes())
    for (unsigned seed = 1; seed < 4; ++seed) expect_equal(device, degenerate(count, seed));
}

TEST_P(CudaNms, EqualsTheCpuOnCrowds) {
  DeviceNms device(GetParam().options, kCapacity);
  for (const std::size_t count : {600U, 1027U, 2895U, 4031U, 4032U, 4033U, 4096U})
    for (const NmsCase& all : {tight_faces(count), in_raster_order(wide_faces(count)), crowd(count),
                               disjoint(count), shuffled(chain(count), 3)})
      expect_equal(device, all);
  expect_equal(device, torchvision_random(1500, 0.5F));
  expect_equal(device, identical(1500));
}

TEST_P(CudaNms, MoreThanTheCapacityIsCounted) {
  DeviceNms device(GetParam().options, kCapacity);
  expect_equal(device, tight_faces(kCapacity + 1));
  expect_equal(device, tight_faces(kCapacity + 1000));
}

TEST_P(CudaNms, EqualsTheCpuOnFewMultiprocessors) {
  for (const std::uint32_t multiprocessors : {3U, 8U, 16U}) {
    DeviceNms device(GetParam().options, kCapacity, multiprocessors);
    for (const std::size_t count :
         {0U, 1U, 48U, 49U, 128U, 129U, 200U, 256U, 257U, 1027U, 2895U, 4032U, 4033U, 4096U})
      for (const NmsCase& all : {tight_faces(count), shuffled(wide_faces(count), 5),
                                 in_raster_order(crowd(count)), disjoint(count)})
        expect_equal(device, all);
    expect_equal(device, identical(700));
  }
}

TEST_P(CudaNms, AThousandReplaysAreOneResult) {
  DeviceNms device(GetParam().options, kCapacity);
  const NmsCase all = wide_faces(1027);
  const DeviceResult first = device.run({all.boxes, all.scores});
  for (int replay = 0; replay < 1000; ++replay) device.launch();
  const DeviceResult last = device.download();
  EXPECT_EQ(first.indices, last.indices);
  EXPECT_EQ(first.boxes, last.boxes);
  EXPECT_EQ(first.scores, last.scores);
}

INSTANTIATE_TEST_SUITE_P(Rules, CudaNms, testing::ValuesIn(rule_cases()),
                         [](const auto& rule) { return std::string(rule.param.name); });

nms::NmsOptions greedy_at(float threshold) { return by_rule(nms::NmsRule::greedy, threshold); }

TEST(CudaNmsLarge, EqualsTheCpuUpToTheLargestCapacity) {
  DeviceNms device(greedy_at(0.4F), nms::kMaxNmsCapacity);
  for (const std::size_t count : {10000U, 33000U, 65535U, 65536U, 65537U})
    for (const NmsCase& all : {tight_faces(count), in_raster_order(wide_faces(count)), crowd(count),
                               disjoint(count), identical(count)})
      EXPECT_EQ(device.run({all.boxes, all.scores}).indices, greedy_on_cpu(all, 0.4F))
          << all.name << " of " << count;
}

TEST(CudaNmsLarge, EqualsTheCpuOnFewMultiprocessors) {
  for (const std::uint32_t multiprocessors : {1U, 8U}) {
    DeviceNms device(greedy_at(0.4F), nms::kMaxNmsCapacity, multiprocessors);
    for (const std::size_t count : {100U, 3000U, 10000U, 65536U})
      for (const NmsCase& all : {tight_faces(count), crowd(count)})
        EXPECT_EQ(device.run({all.boxes, all.scores}).indices, greedy_on_cpu(all, 0.4F))
            << all.name << " of " << count << " on " << multiprocessors;
  }
}

TEST(CudaNmsGroups, AreTheCpus) {
  for (const std::uint32_t min_neighbours : {1U, 3U, 12U}) {
    const nms::NmsOptions options = by_groups(min_neighbours);
    DeviceNms device(options, nms::kMaxNmsCapacity);
    nms::CpuSuppressor cpu(options, nms::kMaxNmsCapacity);
    for (const std::size_t count : {1U, 2U, 31U, 33U, 255U, 257U, 1000U, 5000U, 20000U})
      for (const float step : {1.0F, 0.25F}) {
        const NmsCase all = similar_clusters(count, step, static_cast<unsigned>(count));
        const DeviceResult found = device.run({all.boxes, all.scores});
        const NmsAnswer answer{found.indices, found.boxes, found.scores};
        EXPECT_EQ(answer, answer_of(cpu.run({all.boxes, all.scores})))
            << count << ", step " << step << ", neighbours " << min_neighbours;
      }
  }
}

// All candidates join the same root at the same time.
TEST(CudaNmsGroups, OfOneGroupAreOne) {
  DeviceNms device(by_groups(), nms::kMaxNmsCapacity);
  for (const std::size_t count : {5000U, 30000U}) {
    const NmsCase all = identical(count);
    for (int repeat = 0; repeat < 20; ++repeat) {
      const DeviceResult found = device.run({all.boxes, all.scores});
      ASSERT_THAT(found.indices, ElementsAre(0)) << count;
      ASSERT_THAT(found.boxes, ElementsAre(all.boxes.front())) << count;
    }
  }
}

TEST(CudaNmsGraph, CountsChangeOnTheDevice) {
  DeviceNms device(greedy_at(0.5F), nms::kMaxNmsCapacity);
  const NmsCase all = wide_faces(20000);
  device.upload({all.boxes, all.scores});
  for (const std::uint32_t count : {20000U, 0U, 1U, 4032U, 100U, 4033U, 19999U, 31U, 1000U}) {
    NmsCase first = all;
    first.boxes.resize(count);
    first.scores.resize(count);
    device.upload_count(count);
    device.launch();
    EXPECT_EQ(device.download().indices, greedy_on_cpu(first, 0.5F)) << count;
  }
}

TEST(CudaNmsGraph, WaitsForTheStreamsEarlierWork) {
  DeviceNms device(greedy_at(0.5F), 4096);
  const NmsCase all = wide_faces(2000);
  const std::vector<std::uint32_t> expected = greedy_on_cpu(all, 0.5F);
  const cuda::DeviceBuffer<char> hog(std::size_t{1} << 30);
  for (int turn = 0; turn < 5; ++turn) {
    device.upload_count(0);
    for (int i = 0; i < 20; ++i) cuda::fill(hog.span(), i, device.stream());
    // The candidates are uploaded while the stream is busy with earlier work.
    device.upload({all.boxes, all.scores});
    device.launch();
    EXPECT_EQ(device.download().indices, expected);
  }
}

TEST(CudaNmsGraph, StreamsDoNotDisturbEachOther) {
  constexpr int kStreams = 4;
  std::vector<DeviceNms> devices;
  std::vector<std::vector<std::uint32_t>> expected;
  devices.reserve(kStreams);
  for (unsigned s = 0; s < kStreams; ++s) {
    const NmsCase all = wide_faces(700 + 900 * s, s + 1);
    devices.emplace_back(greedy_at(0.5F), 4096);
    devices.back().upload({all.boxes, all.scores});
    expected.push_back(greedy_on_cpu(all, 0.5F));
  }
  for (int replay = 0; replay < 500; ++replay)
    for (const DeviceNms& device : devices) device.launch();
  for (int s = 0; s < kStreams; ++s)
    EXPECT_EQ(devices[static_cast<std::size_t>(s)].download().indices,
              expected[static_cast<std::size_t>(s)]);
}

TEST(CudaNmsMemory, IsAPublishedFunctionOfTheCapacity) {
  EXPECT_LE(nms::CudaSuppressor::scratch_bytes(greedy_at(0.5F), nms::kMaxNmsCapacity), 4U << 20);
  nms::NmsOptions matrix;
  matrix.rule = nms::NmsRule::matrix;
  EXPECT_GE(nms::CudaSuppressor::scratch_bytes(matrix, 1000), 4096U * 4096U);
}

TEST(CudaNmsRefusals, NameTheOptionOrTheArgument) {
  expect_error(ErrorKind::usage, "NMS threshold: ", [] { nms::CudaSuppressor(greedy_at(2), 100); });
  expect_error(ErrorKind::usage,
               "NMS capacity: ", [] { nms::CudaSuppressor(greedy_at(0.5F), 65537); });
  nms::NmsOptions matrix;
  matrix.rule = nms::NmsRule::matrix;
  matrix.matrix.k = 3;
  expect_error(ErrorKind::usage, "NMS matrix.k: ", [&] { nms::CudaSuppressor(matrix, 100); });
  expect_error(ErrorKind::internal,
               "multiprocessors: ", [] { nms::CudaSuppressor(greedy_at(0.5F), 100, 100000); });
  nms::NmsOptions soft;
  soft.rule = nms::NmsRule::soft;
  expect_error(ErrorKind::internal, "NMS capacity: too large for rule 'soft'",
               [&] { nms::CudaSuppressor(soft, nms::kMaxNmsCapacity, 1); });
  nms::CudaSuppressor suppressor(greedy_at(0.5F), 100);
  const cuda::Stream stream;
  const cuda::DeviceBuffer<Box> boxes(101);
  const cuda::DeviceBuffer<float> scores(100);
  const cuda::DeviceBuffer<std::uint32_t> words(100);
  const nms::DeviceKept kept{words.data(), words.data(), words.data(), nullptr, nullptr};
  const auto refusal = [&](const nms::DeviceCandidates& candidates) -> std::string {
    try {
      suppressor.enqueue(candidates, kept, stream);
    } catch (const Error& refused) {
      EXPECT_EQ(refused.kind(), ErrorKind::internal);
      return refused.what();
    }
    return "";
  };
  EXPECT_THAT(refusal({nullptr, scores.data(), words.data()}), HasSubstr("boxes is null"));
  EXPECT_THAT(refusal({boxes.data(), scores.data(), nullptr}), HasSubstr("count is null"));
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const auto* const askew = reinterpret_cast<const Box*>(&boxes.data()->y1);
  EXPECT_THAT(refusal({askew, scores.data(), words.data()}), HasSubstr("aligned"));
  expect_error(ErrorKind::internal, "works only with rule 'matrix'", [&] {
    suppressor.enqueue_map({boxes.data(), scores.data(), words.data()}, stream);
  });
}

}  // namespace
}  // namespace facepipe::test
