// These tests compare suppression by pair rules on the device with the CPU bit for bit.
#include "experiments/programs/nms_papers/pair_nms_on_device.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "experiments/programs/nms_papers/device_pairs.h"
#include "experiments/programs/nms_papers/pair_nms.h"
#include "experiments/programs/nms_papers/variations.h"
#include "tests/support/nms_cases.h"

namespace facepipe::nms_papers {
namespace {

constexpr std::uint32_t kCapacity = 4096;

template <class Rule>
void expect_equal(DevicePairs& device, const std::string& who, const Rule& rule,
                  const test::NmsCase& all, Removers removers) {
  PairNms host;
  const auto expected = host.run(rule, all.boxes, all.scores, removers);
  EXPECT_EQ(device.run(rule, all.boxes, all.scores, removers),
            std::vector<std::uint32_t>(expected.begin(), expected.end()))
      << who << ", " << all.name << " of " << all.size();
}

bench::Set set_of(const test::NmsCase& all, float threshold) {
  bench::Set set;
  set.threshold = threshold;
  set.candidates = all;
  return set;
}

void expect_all_equal(DevicePairs& device, const test::NmsCase& all, float threshold) {
  with_variations(set_of(all, threshold),
                  [&](const std::string& who, const auto& rule, Removers removers) {
                    expect_equal(device, who, rule, all, removers);
                  });
}

TEST(DevicePairNms, EqualsTheCpuAtEverySize) {
  DevicePairs device(kCapacity);
  for (const std::size_t count : test::edge_sizes()) {
    for (const test::NmsCase& all : test::exact_cases(count, static_cast<unsigned>(count)))
      expect_all_equal(device, all, 0.3F);
    expect_all_equal(device, test::wide_faces(count), 0.3F);
    expect_all_equal(device, test::degenerate(count), 0.3F);
  }
}

TEST(DevicePairNms, EqualsTheCpuOnCrowds) {
  DevicePairs device(kCapacity);
  for (const std::size_t count : {1027U, 2895U, 4095U, 4096U})
    for (const test::NmsCase& all :
         {test::tight_faces(count), test::in_raster_order(test::wide_faces(count)),
          test::crowd(count), test::shuffled(test::chain(count), 3), test::disjoint(count)})
      for (const float threshold : {0.0F, 0.5F}) expect_all_equal(device, all, threshold);
}

TEST(DevicePairNms, TakesTheLargestCapacity) {
  DevicePairs device(nms::kMaxNmsCapacity);
  expect_all_equal(device, test::tight_faces(20000), 0.5F);
}

TEST(DevicePairNms, NumbersThatAreNoneChangeNothing) {
  DevicePairs device(kCapacity);
  const test::NmsCase all = test::whole_clusters(1000, 3, 9);
  std::vector<float> values(all.size());
  constexpr float kOdd[] = {std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(), 0.4F};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = kOdd[i % std::size(kOdd)];
  for (const Removers removers : {Removers::kept, Removers::any}) {
    expect_equal(device, "densities", AdaptiveRule{0.3F, values.data()}, all, removers);
    expect_equal(device, "features", FeatureRule{0.1F, 0.9F, 1, values.data(), 1}, all, removers);
  }
}

TEST(DevicePairNms, ReplaysAreOneResult) {
  DevicePairs device(kCapacity);
  const test::NmsCase all = test::wide_faces(1027);
  const auto repeat = [&](const std::string& who, const auto& rule, Removers removers) {
    const std::vector<std::uint32_t> first = device.run(rule, all.boxes, all.scores, removers);
    device.forget();
    for (int replay = 0; replay < 100; ++replay) device.launch();
    EXPECT_EQ(device.kept(), first) << who;
  };
  with_variations(set_of(all, 0.3F), repeat);
}

TEST(DevicePairNms, RefusesACapacityOutOfRange) {
  EXPECT_THROW(DevicePairNms nms(0), std::invalid_argument);
  EXPECT_THROW(DevicePairNms nms(nms::kMaxNmsCapacity + 1), std::invalid_argument);
}

}  // namespace
}  // namespace facepipe::nms_papers
