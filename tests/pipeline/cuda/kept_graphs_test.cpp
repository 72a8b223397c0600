// These tests check which sets of CUDA graphs are kept. A set of these tests contains only a
// detector, which allocates device memory, as a real set does.
#include "pipeline/cuda/kept_graphs.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "core/cuda/buffer.h"
#include "core/cuda/check.h"
#include "core/error.h"

namespace facepipe::pipeline {
namespace {

/// This detector detects nothing. It only holds device memory.
class HoldsMemory final : public detector::CudaDetector {
 public:
  explicit HoldsMemory(std::size_t bytes) : memory_(bytes) {}
  [[nodiscard]] detector::DetectorFacts facts() const override { return {}; }
  [[nodiscard]] std::uint32_t capacity() const override { return 0; }
  [[nodiscard]] std::unique_ptr<detector::CudaDetection> make_detection() const override {
    return nullptr;
  }

 private:
  cuda::DeviceBuffer<std::byte> memory_;
};

GraphKey key(int width) {
  GraphKey key;
  key.layout.stored = {width, 64};
  return key;
}

std::size_t device_memory() {
  std::size_t free = 0;
  std::size_t all = 0;
  FACEPIPE_CUDA_CHECK(cudaMemGetInfo(&free, &all));
  return all;
}

class KeptGraphsTest : public testing::Test {
 protected:
  std::shared_ptr<GraphSet> get(int width, std::size_t bytes = 1) {
    return kept_.get(key(width), [&] {
      ++made_;
      auto set = std::make_shared<GraphSet>();
      set->detector = std::make_shared<HoldsMemory>(bytes);
      return set;
    });
  }

  KeptGraphs kept_;
  int made_ = 0;
};

TEST_F(KeptGraphsTest, MakesEachKindOnce) {
  const auto first = get(64);
  const auto other = get(128);
  EXPECT_NE(first, other);
  EXPECT_EQ(get(64), first);
  EXPECT_EQ(get(128), other);
  EXPECT_EQ(made_, 2);
}

TEST_F(KeptGraphsTest, TellsAllThatDiffersApart) {
  const GraphKey plain = key(64);
  GraphKey drawn = plain;
  drawn.style.boxes = !drawn.style.boxes;
  GraphKey looser = plain;
  looser.nms.threshold += 0.25F;
  GraphKey downloaded = plain;
  downloaded.to_host = FaceDownload::all;
  GraphKey followed = plain;
  followed.follow = FollowScores{0.03F, 0.5F};
  GraphKey weaker = followed;
  weaker.follow->face = 0.4F;
  GraphKey timed = plain;
  timed.times_stages = true;
  GraphKey tuned = plain;
  tuned.tuning = detector::Tuning::trials;
  GraphKey turned = plain;
  turned.turned_too = 1;
  const auto make = [&] {
    ++made_;
    return std::make_shared<GraphSet>();
  };
  for (const GraphKey& one :
       {plain, drawn, looser, downloaded, followed, weaker, timed, tuned, turned})
    static_cast<void>(kept_.get(one, make));
  EXPECT_EQ(made_, 9);
}

TEST_F(KeptGraphsTest, LetsThoseGoThatWereUsedLeastLatelyWhereAQuarterOfTheMemoryIsFull) {
  // Three of these sets need a little more than a quarter of the device's memory.
  const std::size_t third = device_memory() / 12 + (8U << 20U);
  for (const int width : {64, 128}) static_cast<void>(get(width, third));
  static_cast<void>(get(64));          // now the set for width 128 is the least recently used one
  static_cast<void>(get(256, third));  // three such sets exceed a quarter of the memory
  static_cast<void>(get(512, third));
  EXPECT_EQ(made_, 4);
  static_cast<void>(get(512));
  static_cast<void>(get(256));
  EXPECT_EQ(made_, 4);
  static_cast<void>(get(128));
  EXPECT_EQ(made_, 5);
}

TEST_F(KeptGraphsTest, KeepsOneSetHoweverLargeItIs) {
  static_cast<void>(get(64, device_memory() / 3));
  static_cast<void>(get(64));
  EXPECT_EQ(made_, 1);
}

// At the first try there isn't enough memory for a new set, so the kept sets are destroyed. Even
// then, another program can already have taken the memory.
TEST_F(KeptGraphsTest, AreLetGoWhereThereIsNoMemoryForAnother) {
  static_cast<void>(get(64));
  int tries = 0;
  const auto second_time = [&]() -> std::shared_ptr<GraphSet> {
    if (++tries == 1) throw Error(ErrorKind::device, "out of memory");
    return std::make_shared<GraphSet>();
  };
  EXPECT_NE(kept_.get(key(128), second_time), nullptr);
  EXPECT_EQ(tries, 2);
  static_cast<void>(get(64));
  EXPECT_EQ(made_, 2);
}

TEST_F(KeptGraphsTest, TellWhyNoneCouldBeMade) {
  const auto never = []() -> std::shared_ptr<GraphSet> {
    throw Error(ErrorKind::device, "out of memory");
  };
  EXPECT_THROW(static_cast<void>(kept_.get(key(64), never)), Error);
  static_cast<void>(get(128));
  EXPECT_THROW(static_cast<void>(kept_.get(key(64), never)), Error);
}

TEST_F(KeptGraphsTest, LiveOnWhereTheyAreInUse) {
  const auto used = get(64);
  const std::weak_ptr<const detector::CudaDetector> detector = used->detector;
  kept_ = KeptGraphs();
  EXPECT_FALSE(detector.expired());
}

}  // namespace
}  // namespace facepipe::pipeline
