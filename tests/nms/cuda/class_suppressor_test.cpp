// These tests suppress candidates of several classes on the device, and compare with the CPU's
// ClassSuppressor.
#include "nms/cuda/class_suppressor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cuda/graph.h"
#include "nms/cpu/class_suppressor.h"
#include "tests/nms/on_cpu.h"
#include "tests/support/expect_error.h"

namespace facepipe::test {
namespace {

constexpr std::uint32_t kEach = 2048;
constexpr std::uint32_t kAll = 6000;

struct Kept {
  std::vector<std::uint32_t> indices;
  std::vector<Box> boxes;
  std::vector<float> scores;
  std::uint32_t beyond_capacity = 0;
  friend bool operator==(const Kept&, const Kept&) = default;
};

Kept as_lists(const nms::NmsKept& kept) {
  return {{kept.indices.begin(), kept.indices.end()},
          {kept.boxes.begin(), kept.boxes.end()},
          {kept.scores.begin(), kept.scores.end()},
          kept.beyond_capacity};
}

/// Holds a suppressor, its buffers, and a CUDA graph of its work.
class OnDevice {
 public:
  OnDevice(const nms::NmsOptions& options, std::vector<float> thresholds,
           std::uint32_t each = kEach)
      : options_(options),
        suppressor_(options, each, std::move(thresholds), kAll),
        boxes_(kAll),
        scores_(kAll),
        classes_(kAll),
        indices_(suppressor_.kept_capacity()),
        kept_boxes_(suppressor_.kept_capacity()),
        kept_scores_(suppressor_.kept_capacity()),
        counts_(3) {
    const nms::DeviceKept kept{indices_.data(), counts_.data() + 1, counts_.data() + 2,
                               kept_boxes_.data(), kept_scores_.data()};
    const nms::DeviceCandidates candidates{boxes_.data(), scores_.data(), counts_.data()};
    exec_.emplace(cuda::capture(
        stream_, [&] { suppressor_.enqueue(candidates, classes_.data(), kept, stream_); }));
    // With these bytes, tests find values that no kernel has written.
    cuda::fill(indices_.span(), 0xff, stream_);
    cuda::fill(kept_boxes_.span(), 0xff, stream_);
    cuda::fill(kept_scores_.span(), 0xff, stream_);
  }

  Kept run(const Detections& found) {
    const auto count = static_cast<std::uint32_t>(found.size());
    cuda::copy(boxes_.span(), std::span<const Box>(found.boxes), stream_);
    cuda::copy(scores_.span(), std::span<const float>(found.scores), stream_);
    std::vector<std::uint16_t> classes = found.classes;
    classes.resize(found.size());
    cuda::copy(classes_.span(), std::span<const std::uint16_t>(classes), stream_);
    cuda::copy(counts_.span(), std::span<const std::uint32_t>(&count, 1), stream_);
    exec_->launch(stream_);
    std::vector<std::uint32_t> counts(3);
    cuda::copy(std::span<std::uint32_t>(counts), counts_.span(), stream_);
    stream_.synchronize();
    Kept kept;
    kept.indices = downloaded(indices_, counts[1]);
    if (nms::moves_boxes(options_)) kept.boxes = downloaded(kept_boxes_, counts[1]);
    if (nms::changes_scores(options_)) kept.scores = downloaded(kept_scores_, counts[1]);
    kept.beyond_capacity = counts[2];
    return kept;
  }

 private:
  template <class T>
  std::vector<T> downloaded(const cuda::DeviceBuffer<T>& from, std::uint32_t count) {
    std::vector<T> values(count);
    cuda::copy(std::span<T>(values), cuda::DeviceSpan<const T>{from.data(), count}, stream_);
    stream_.synchronize();
    return values;
  }

  nms::NmsOptions options_;
  cuda::Stream stream_;
  nms::CudaClassSuppressor suppressor_;
  cuda::DeviceBuffer<Box> boxes_;
  cuda::DeviceBuffer<float> scores_;
  cuda::DeviceBuffer<std::uint16_t> classes_;
  cuda::DeviceBuffer<std::uint32_t> indices_;
  cuda::DeviceBuffer<Box> kept_boxes_;
  cuda::DeviceBuffer<float> kept_scores_;
  cuda::DeviceBuffer<std::uint32_t> counts_;  ///< candidates, kept ones, those beyond the capacity
  std::optional<cuda::GraphExec> exec_;
};

/// Returns the candidates with random classes below `classes`, and with some equal scores.
Detections with_classes(const NmsCase& all, unsigned seed, unsigned classes) {
  Detections found;
  NmsRandom random(seed);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const float score = random.below(4) == 0 ? 0.5F : all.scores[i];
    found.push_back(all.boxes[i], score);
    found.set_class_of_last(static_cast<std::uint16_t>(random.below(classes)));
  }
  return found;
}

/// Returns options of a rule that the capacity fits; nullopt if the rule has no voting.
std::optional<nms::NmsOptions> options_of(nms::NmsRule rule, bool voting) {
  nms::NmsOptions options = by_rule(rule);
  options.voting = voting;
  options.matrix.d_max = kEach;
  const bool no_voting = rule == nms::NmsRule::soft || rule == nms::NmsRule::groups;
  return no_voting && voting ? std::nullopt : std::optional(options);
}

constexpr nms::NmsRule kRules[] = {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast,
                                   nms::NmsRule::soft, nms::NmsRule::groups};

TEST(CudaClassSuppressor, KeepsWhatTheCpuKeeps) {
  const std::vector<std::vector<float>> kThresholds{
      {0.3F, 0.3F, 0.3F}, {0.3F, 0.5F, 0.3F}, {0, 1, 0.2F}};
  for (const nms::NmsRule rule : kRules)
    for (const bool voting : {false, true})
      for (const std::vector<float>& thresholds : kThresholds) {
        const auto options = options_of(rule, voting);
        if (!options) continue;
        SCOPED_TRACE(std::string(nms::name_of(rule)) + (voting ? ", voting" : ""));
        nms::ClassSuppressor cpu(*options, kEach, thresholds);
        OnDevice device(*options, thresholds);
        // The graph is replayed for frames with more candidates, and with fewer.
        unsigned seed = 1;
        for (const std::size_t count : {500U, 0U, 3U, 4000U, 60U}) {
          const Detections found = with_classes(wide_faces(count, seed), seed, 3);
          ++seed;
          const Kept expected = as_lists(cpu.run(found));
          EXPECT_EQ(device.run(found), expected) << count << " candidates";
          EXPECT_EQ(expected.beyond_capacity, 0U);
        }
      }
}

TEST(CudaClassSuppressor, KeepsTheCandidatesOfOneClassWhereTheOthersHaveNone) {
  for (const nms::NmsRule rule : kRules)
    for (const std::uint16_t only : std::vector<std::uint16_t>{0, 1, 2}) {
      const auto options = options_of(rule, false);
      Detections found = with_classes(wide_faces(300, 4), 4, 1);
      found.classes.assign(found.size(), only);
      nms::ClassSuppressor cpu(*options, kEach, {0.3F, 0.4F, 0.5F});
      OnDevice device(*options, {0.3F, 0.4F, 0.5F});
      EXPECT_EQ(device.run(found), as_lists(cpu.run(found))) << nms::name_of(rule);
    }
}

TEST(CudaClassSuppressor, LooksAtTheFirstCandidatesOfEachClass) {
  for (const nms::NmsRule rule : kRules) {
    const auto options = options_of(rule, false);
    Detections found = with_classes(wide_faces(1000, 5), 5, 2);
    for (std::size_t i = 0; i < 300; ++i) found.classes[i] = 0;
    nms::ClassSuppressor cpu(*options, 200, {0.3F, 0.4F, 0.5F});
    OnDevice device(*options, {0.3F, 0.4F, 0.5F}, 200);
    const Kept expected = as_lists(cpu.run(found));
    EXPECT_GT(expected.beyond_capacity, 200U);
    EXPECT_EQ(device.run(found), expected) << nms::name_of(rule);
  }
}

TEST(CudaClassSuppressor, WithOneClassIsTheSuppressor) {
  const auto options = options_of(nms::NmsRule::greedy, false);
  for (const std::vector<float>& thresholds : {std::vector<float>{}, std::vector<float>{0.6F}}) {
    const Detections found = with_classes(wide_faces(900, 6), 6, 1);
    nms::ClassSuppressor cpu(*options, kEach, thresholds);
    OnDevice device(*options, thresholds);
    EXPECT_EQ(device.run(found), as_lists(cpu.run(found)));
  }
}

TEST(CudaClassSuppressor, ManyClassesShareTheMemory) {
  constexpr unsigned kClasses = 80;
  const auto options = options_of(nms::NmsRule::greedy, false);
  const std::vector<float> thresholds(kClasses, 0.45F);
  const Detections found = with_classes(wide_faces(5000, 7), 7, kClasses);
  nms::ClassSuppressor cpu(*options, kEach, thresholds);
  OnDevice device(*options, thresholds);
  EXPECT_EQ(device.run(found), as_lists(cpu.run(found)));
}

TEST(CudaClassSuppressor, RefusesMissingArrays) {
  const auto options = options_of(nms::NmsRule::greedy, false);
  nms::CudaClassSuppressor suppressor(*options, 10, {0.3F, 0.3F}, 20);
  EXPECT_EQ(suppressor.kept_capacity(), 20U);
  EXPECT_EQ(suppressor.capacity(), 10U);
  const cuda::Stream stream;
  const cuda::DeviceBuffer<Box> boxes(20);
  const cuda::DeviceBuffer<float> scores(20);
  const cuda::DeviceBuffer<std::uint16_t> classes(20);
  const cuda::DeviceBuffer<std::uint32_t> words(30);
  const nms::DeviceCandidates candidates{boxes.data(), scores.data(), words.data()};
  nms::DeviceKept kept{words.data() + 3, words.data() + 1, words.data() + 2, nullptr, nullptr};
  expect_error(ErrorKind::internal, "classes is null",
               [&] { suppressor.enqueue(candidates, nullptr, kept, stream); });
  expect_error(ErrorKind::internal, "candidates.boxes is null",
               [&] { suppressor.enqueue({}, classes.data(), kept, stream); });
  kept.indices = nullptr;
  expect_error(ErrorKind::internal, "kept.indices is null",
               [&] { suppressor.enqueue(candidates, classes.data(), kept, stream); });
}

TEST(CudaClassSuppressor, RefusesAThresholdThatIsNone) {
  const auto options = options_of(nms::NmsRule::greedy, false);
  expect_error(ErrorKind::usage, "threshold", [&] {
    const nms::CudaClassSuppressor suppressor(*options, 10, {0.3F, 1.5F}, 20);
  });
}

}  // namespace
}  // namespace facepipe::test
