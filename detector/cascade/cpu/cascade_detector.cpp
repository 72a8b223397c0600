#include "detector/cascade/cpu/cascade_detector.h"

#include <algorithm>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/permit_pool.h"
#include "detector/cascade/grey.h"
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

struct Slot {
  GreyMaker grey_maker;
  cv::Mat grey;
};

class CascadeDetector;

class CascadeRequest final : public DetectionRequest {
 public:
  CascadeRequest(std::shared_ptr<CascadeDetector> detector, PermitPool::Permit permit, Slot& slot)
      : detector_(std::move(detector)), permit_(std::move(permit)), slot_(slot) {}

  void prepare(const Frame& frame) override;
  void start() override;
  [[nodiscard]] Detections collect() override;
  [[nodiscard]] Interval inference() const override { return interval_; }

 private:
  enum class State { idle, prepared, started };
  void expect(State state, const char* call) const {
    if (state_ != state)
      throw Error(ErrorKind::internal, std::string("detector: ") + call + " called out of turn");
  }

  // Members are destroyed in reverse order. So the permit is returned before the detector is
  // released.
  std::shared_ptr<CascadeDetector> detector_;
  PermitPool::Permit permit_;
  Slot& slot_;
  std::shared_ptr<void> owner_;  // keeps the samples alive that slot_.grey may refer to
  State state_ = State::idle;
  Detections found_;
  Interval interval_;
};

class CascadeDetector final : public Detector,
                              public std::enable_shared_from_this<CascadeDetector> {
 public:
  CascadeDetector(std::shared_ptr<const Scanner> scanner, std::shared_ptr<Workers> workers,
                  Size frame, const CascadeOptions& options)
      : frame_(frame),
        window_(scanner->cascade().window),
        finder_(std::move(scanner), frame, options.levels),
        workers_(std::move(workers)),
        options_(options),
        permits_(options.requests),
        slots_(static_cast<std::size_t>(options.requests)) {}

  std::unique_ptr<DetectionRequest> acquire(const std::stop_token& stop) override {
    PermitPool::Permit permit = permits_.acquire(stop);
    Slot& slot = slots_[static_cast<std::size_t>(permit.number())];
    return std::make_unique<CascadeRequest>(shared_from_this(), std::move(permit), slot);
  }

  [[nodiscard]] DetectorFacts facts() const override { return {{}, window_, {}}; }

  [[nodiscard]] Size frame() const { return frame_; }

  /// Waits until other requests are done. Sets `interval` to the time of this request, without the
  /// waiting time.
  [[nodiscard]] Detections find(const Slot& slot, Interval& interval) {
    const std::scoped_lock lock(mutex_);
    interval.begin = Clock::now();
    const std::vector<Box> windows = finder_.find(slot.grey, *workers_, memory_);
    Detections found = options_.every_window ? unscored(windows) : scored(windows);
    interval.end = Clock::now();
    return found;
  }

 private:
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
      if (score > options_.score_threshold) found.push_back(clipped(windows[i], frame_), score);
    }
    return found;
  }

  Size frame_;
  Size window_;
  WindowFinder finder_;
  std::shared_ptr<Workers> workers_;
  CascadeOptions options_;
  PermitPool permits_;
  std::vector<Slot> slots_;
  std::mutex mutex_;  // guards memory_: all threads work on the frame of one request at a time
  WindowFinder::Memory memory_;
};

void CascadeRequest::prepare(const Frame& frame) {
  if (state_ == State::started) expect(State::idle, "prepare");
  if (frame.device.kind != DeviceKind::cpu)
    throw Error(ErrorKind::internal, "cascade: frame on " + to_string(frame.device));
  if (frame.upright() != detector_->frame())
    throw Error(ErrorKind::internal,
                "cascade: frame of another size than the detector was made for");
  slot_.grey = slot_.grey_maker.grey(frame);  // may refer to the frame's own luma
  owner_ = frame.owner;
  state_ = State::prepared;
}

// The work runs here and not in the background, because the work keeps all workers busy anyway.
void CascadeRequest::start() {
  expect(State::prepared, "start");
  found_ = detector_->find(slot_, interval_);
  state_ = State::started;
}

Detections CascadeRequest::collect() {
  expect(State::started, "collect");
  state_ = State::idle;
  owner_.reset();
  return std::move(found_);
}

}  // namespace

std::shared_ptr<Detector> make_cascade_detector(std::shared_ptr<const Scanner> scanner,
                                                std::shared_ptr<Workers> workers, Size frame,
                                                const CascadeOptions& options) {
  return std::make_shared<CascadeDetector>(std::move(scanner), std::move(workers), frame, options);
}

}  // namespace facepipe::detector::cascade
