// These tests compare the printed kernels, and the steps from them to our kernels, with the same
// algorithm on the host. nms_papers_cpu_test.cpp checks the host's code.
#include "experiments/programs/nms_papers/printed_nms.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

#include "experiments/programs/nms_papers/printed_bitmask.h"
#include "experiments/programs/nms_papers/printed_on_host.h"
#include "tests/experiments/papers_oracle.h"
#include "tests/support/nms_cases.h"

namespace facepipe::nms_papers {
namespace {

constexpr std::uint32_t kDMax = 4096;
constexpr std::uint32_t kBlockSides[] = {16, 32};
constexpr ReduceStep kReduceSteps[] = {ReduceStep::printed, ReduceStep::up_to_n,
                                       ReduceStep::ends_early, ReduceStep::capped};

std::vector<test::NmsCase> cases_of(std::size_t count) {
  return {test::whole_clusters(count, 3, 1U << 20), test::whole_clusters(count, 4, 4),
          test::tight_faces(count), test::shuffled(test::crowd(count), 5)};
}

class PrintedNmsTest : public testing::Test {
 protected:
  void SetUp() override {
    stream_.emplace();
    nms_.emplace(kDMax, 0.3F);
  }

  /// Maps all candidates with kernels that have `rows` rows of threads.
  void run(const test::NmsCase& all, std::uint32_t rows, std::uint32_t block_side, MapShape shape) {
    nms_->upload(all.boxes, all.scores, *stream_);
    nms_->enqueue_memset(*stream_);
    nms_->enqueue_map(rows, block_side, shape, *stream_);
  }
  [[nodiscard]] std::vector<std::uint32_t> kept(std::uint32_t rows, std::uint32_t k,
                                                ReduceStep step) {
    nms_->enqueue_reduce(rows, k, step, 4, *stream_);
    return nms_->kept(*stream_);
  }

  // SetUp() makes these objects, because it doesn't run if there is no device.
  std::optional<cuda::Stream> stream_;
  std::optional<PrintedNms> nms_;
};

TEST_F(PrintedNmsTest, KeepsWhatTheHostKeeps) {
  for (const std::size_t count : {1U, 15U, 17U, 127U, 129U, 1024U, 1025U, 2049U, 4095U, 4096U})
    for (const test::NmsCase& all : cases_of(count)) {
      const std::vector<std::uint32_t> expected = printed_on_host(all.boxes, all.scores, 0.3F);
      for (const MapShape shape : {MapShape::printed, MapShape::coalesced})
        for (const std::uint32_t side : kBlockSides) {
          run(all, static_cast<std::uint32_t>(count), side, shape);
          EXPECT_EQ(kept(nms_->size(), 32, ReduceStep::printed), expected)
              << all.name << " of " << count << ", blocks of " << side;
        }
      for (const std::uint32_t k : {4U, 8U, 16U, 32U, 64U})
        for (const ReduceStep step : kReduceSteps)
          EXPECT_EQ(kept(nms_->size(), k, step), expected)
              << all.name << " of " << count << ", k " << k << ", step " << static_cast<int>(step);
    }
}

TEST_F(PrintedNmsTest, OnAllOfDMaxKeepsTheSameIfNoScoreIsNegative) {
  for (const std::size_t count : {1U, 500U, 1025U})
    for (const test::NmsCase& all : cases_of(count)) {
      run(all, kDMax, 16, MapShape::printed);
      EXPECT_EQ(kept(kDMax, 32, ReduceStep::printed), printed_on_host(all.boxes, all.scores, 0.3F))
          << all.name << " of " << count;
    }
}

// The paper says that B must be set to 1 before each picture.
TEST_F(PrintedNmsTest, WithoutTheMemsetOldZerosRemain) {
  const test::NmsCase many = test::identical(64);
  test::NmsCase crowded = many;
  test::make_scores_distinct(crowded, 1);
  run(crowded, 64, 16, MapShape::printed);
  EXPECT_EQ(kept(64, 32, ReduceStep::printed).size(), 1);
  nms_->upload(many.boxes, many.scores, *stream_);
  nms_->enqueue_map(64, 16, MapShape::printed, *stream_);
  EXPECT_EQ(kept(64, 32, ReduceStep::printed).size(), 1);
  run(many, 64, 16, MapShape::printed);
  EXPECT_EQ(kept(64, 32, ReduceStep::printed).size(), 64);  // no score is higher than any other
}

TEST_F(PrintedNmsTest, RefusesWhatItHasNoRoomFor) {
  const test::NmsCase all = test::tight_faces(kDMax + 1);
  EXPECT_THROW(nms_->upload(all.boxes, all.scores, *stream_), std::invalid_argument);
  for (const std::uint32_t k : {0U, 2U, 3U})
    EXPECT_THROW(nms_->enqueue_reduce(1, k, ReduceStep::printed, 1, *stream_),
                 std::invalid_argument);
}

/// Returns the indices of the boxes that greedy suppression keeps. `ranked` are in rank order.
std::vector<std::int32_t> greedy_of(const test::NmsCase& ranked, float threshold) {
  const std::vector<std::uint32_t> kept =
      greedy_oracle(ranked, [&](std::size_t winner, std::size_t loser) {
        return overlap_with_a_pixel_more(ranked.boxes[winner], ranked.boxes[loser]) >
               static_cast<double>(threshold);
      });
  return {kept.begin(), kept.end()};
}

TEST(PrintedBitmask, IsGreedyWithAPixelMore) {
  const cuda::Stream stream;
  for (const std::size_t count : {1U, 63U, 64U, 65U, 300U, 1027U})
    for (const unsigned seed : {1U, 2U}) {
      std::vector<RankedBox> ranked;
      test::NmsCase all = test::whole_clusters(count, seed, 9);
      all.scores.assign(count, 0.5F);
      for (const Box& box : all.boxes) ranked.push_back({box, 0.5F});
      const cuda::DeviceBuffer<std::int32_t> indices(count);
      const cuda::DeviceBuffer<std::int32_t> kept_count(1);
      printed_bitmask_nms({indices.data(), kept_count.data()}, ranked, 0.25F);
      std::int32_t size = 0;
      cuda::copy(std::span(&size, 1), kept_count.span(), stream);
      stream.synchronize();
      std::vector<std::int32_t> kept(static_cast<std::size_t>(size));
      cuda::copy(std::span(kept), indices.span(), stream);
      stream.synchronize();
      EXPECT_EQ(kept, greedy_of(all, 0.25F)) << count << ", seed " << seed;
    }
}

}  // namespace
}  // namespace facepipe::nms_papers
