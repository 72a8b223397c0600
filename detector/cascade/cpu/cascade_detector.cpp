#include "detector/cascade/cpu/cascade_detector.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "detector/cascade/grey.h"
#include "detector/serial_detector.h"
#include "nms/agreement.h"

namespace facepipe::detector::cascade {

namespace {

// The levels of a batch have at most this many times the pixels of the picture. With a scale factor
// of 1.1, all levels fit in one batch.
constexpr std::int64_t kBatchPictures = 6;

std::int64_t pixels(Size size) { return std::int64_t{size.width} * size.height; }

}  // namespace

WindowFinder::WindowFinder(std::shared_ptr<const Scanner> scanner, Size picture,
                           const LevelOptions& options, std::size_t most_windows)
    : scanner_(std::move(scanner)),
      most_windows_(most_windows),
      levels_(plan_levels(scanner_->cascade().window, picture, options)) {
  std::int64_t left = 0;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (batches_.empty() || pixels(levels_[i].size) > left) {
      batches_.push_back({i, 0, {}});
      left = kBatchPictures * pixels(picture);
    }
    Batch& batch = batches_.back();
    left -= pixels(levels_[i].size);
    ++batch.level_count;
    const int rows = levels_[i].places.height;
    for (int row = 0; row < rows; row += Scanner::kBandRows)
      batch.bands.push_back({i, row, std::min(Scanner::kBandRows, rows - row)});
  }
}

void WindowFinder::make_levels(const cv::Mat& grey, const Batch& batch, Workers& workers,
                               Memory& memory) const {
  memory.levels.resize(std::max(memory.levels.size(), batch.level_count));
  workers.run(batch.level_count, [&](std::size_t i, int) {
    const Size size = levels_[batch.first_level + i].size;
    cv::resize(grey, memory.levels[i], {size.width, size.height}, 0, 0, cv::INTER_LINEAR_EXACT);
  });
}

std::vector<std::vector<Place>> WindowFinder::scan(const Batch& batch, Workers& workers,
                                                   Memory& memory,
                                                   std::atomic<std::size_t>& found) const {
  std::vector<std::vector<Place>> passed(batch.bands.size());
  workers.run(batch.bands.size(), [&](std::size_t i, int thread) {
    const Band& band = batch.bands[i];
    const cv::Mat& level = memory.levels[band.level - batch.first_level];
    const GreyPicture picture{
        level.data, static_cast<std::ptrdiff_t>(level.step), {level.cols, level.rows}};
    scanner_->scan(levels_[band.level], picture, band.first_row, band.rows,
                   memory.threads[static_cast<std::size_t>(thread)], passed[i]);
    found += passed[i].size();
    if (found > most_windows_)
      throw Error(ErrorKind::device, "cascade: more than " + std::to_string(most_windows_) +
                                         " windows of a frame pass the classifier; give a larger "
                                         "--min-face or --scale-factor");
  });
  return passed;
}

std::vector<Box> WindowFinder::find(const cv::Mat& grey, Workers& workers, Memory& memory) const {
  memory.threads.resize(static_cast<std::size_t>(workers.threads()));
  std::atomic<std::size_t> found = 0;
  std::vector<Box> boxes;
  for (const Batch& batch : batches_) {
    make_levels(grey, batch, workers, memory);
    const std::vector<std::vector<Place>> passed = scan(batch, workers, memory, found);
    for (std::size_t i = 0; i < passed.size(); ++i)
      for (const Place& place : passed[i])
        boxes.push_back(window_box(levels_[batch.bands[i].level], place.x, place.y));
  }
  return boxes;
}

namespace {

/// A picture, and what makes it from frames.
struct MadePicture {
  GreyMaker maker;
  cv::Mat grey;  ///< may refer to the frame's own luma
};

class CascadeDetector final : public SerialDetector<MadePicture> {
 public:
  CascadeDetector(std::shared_ptr<const Scanner> scanner, std::shared_ptr<Workers> workers,
                  Size frame, const CascadeOptions& options)
      : SerialDetector("cascade", frame, options.requests),
        window_(scanner->cascade().window),
        finder_(std::move(scanner), frame, options.levels),
        workers_(std::move(workers)),
        options_(options) {}

  [[nodiscard]] DetectorFacts facts() const override { return {{}, window_, {}}; }

 private:
  void prepare(const Frame& frame, MadePicture& picture) override {
    picture.grey = picture.maker.grey(frame);
  }

  [[nodiscard]] Detections find(const MadePicture& picture) override {
    const std::vector<Box> windows = finder_.find(picture.grey, *workers_, memory_);
    return options_.every_window ? unscored(windows) : scored(windows);
  }

  [[nodiscard]] static Detections unscored(const std::vector<Box>& windows) {
    Detections found;
    for (const Box& window : windows) found.push_back(window, 1);
    return found;
  }

  [[nodiscard]] Detections scored(const std::vector<Box>& windows) const {
    const std::vector<float> agreement = nms::measure_agreement(windows);
    Detections found;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const float score = agreement_score(agreement[i]);
      if (score > options_.score_threshold) found.push_back(clipped(windows[i], frame()), score);
    }
    return found;
  }

  Size window_;
  WindowFinder finder_;
  std::shared_ptr<Workers> workers_;
  CascadeOptions options_;
  WindowFinder::Memory memory_;
};

}  // namespace

std::shared_ptr<Detector> make_cascade_detector(std::shared_ptr<const Scanner> scanner,
                                                std::shared_ptr<Workers> workers, Size frame,
                                                const CascadeOptions& options) {
  return std::make_shared<CascadeDetector>(std::move(scanner), std::move(workers), frame, options);
}

}  // namespace facepipe::detector::cascade
