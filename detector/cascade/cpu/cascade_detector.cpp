#include "detector/cascade/cpu/cascade_detector.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/slots.h"
#include "detector/cascade/grey.h"
#include "nms/agreement.h"

namespace facepipe::cascade {

WindowFinder::WindowFinder(std::shared_ptr<const Scanner> scanner, Size picture,
                           const LevelOptions& options)
    : scanner_(std::move(scanner)),
      levels_(plan_levels(scanner_->cascade().window, picture, options)) {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const int rows = levels_[i].places.height;
    for (int row = 0; row < rows; row += Scanner::kBandRows)
      bands_.push_back({i, row, std::min(Scanner::kBandRows, rows - row)});
  }
}

std::vector<Box> WindowFinder::find(const cv::Mat& grey, Workers& workers, Memory& memory) const {
  memory.levels.resize(levels_.size());
  memory.threads.resize(static_cast<std::size_t>(workers.threads()));
  workers.run(levels_.size(), [&](std::size_t i, int) {
    const cv::Size size{levels_[i].size.width, levels_[i].size.height};
    cv::resize(grey, memory.levels[i], size, 0, 0, cv::INTER_LINEAR_EXACT);
  });
  std::vector<std::vector<Place>> passed(bands_.size());
  workers.run(bands_.size(), [&](std::size_t i, int thread) {
    const Band& band = bands_[i];
    const cv::Mat& level = memory.levels[band.level];
    const GreyPicture picture{
        level.data, static_cast<std::ptrdiff_t>(level.step), {level.cols, level.rows}};
    scanner_->scan(levels_[band.level], picture, band.first_row, band.rows,
                   memory.threads[static_cast<std::size_t>(thread)], passed[i]);
  });
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < bands_.size(); ++i)
    for (const Place& place : passed[i])
      boxes.push_back(window_box(levels_[bands_[i].level], place.x, place.y));
  return boxes;
}

float agreement_score(float agreement) {
  constexpr float kNeighbors = 3;
  return agreement / (agreement + kNeighbors);
}

namespace {

struct Slot {
  GreyMaker grey_maker;
  cv::Mat grey;
  WindowFinder::Memory memory;
};

class CascadeDetector;

class CascadeRequest final : public DetectionRequest {
 public:
  CascadeRequest(std::shared_ptr<CascadeDetector> detector, Slots::Permit permit, Slot& slot)
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

  // The permit goes back before the detector is let go.
  std::shared_ptr<CascadeDetector> detector_;
  Slots::Permit permit_;
  Slot& slot_;
  std::shared_ptr<void> owner_;  // of the samples that slot_.grey may refer to
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
    Slots::Permit permit = permits_.acquire(stop);
    Slot& slot = slots_[static_cast<std::size_t>(permit.number())];
    return std::make_unique<CascadeRequest>(shared_from_this(), std::move(permit), slot);
  }

  [[nodiscard]] DetectorFacts facts() const override { return {{}, window_, {}}; }

  [[nodiscard]] Size frame() const { return frame_; }

  [[nodiscard]] Detections find(Slot& slot) const {
    const std::vector<Box> windows = finder_.find(slot.grey, *workers_, slot.memory);
    const std::vector<float> agreement = nms::measure_agreement(windows);
    Detections found;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const float score = agreement_score(agreement[i]);
      if (options_.every_window)
        found.push_back(windows[i], score);
      else if (score > options_.score_threshold)
        found.push_back(clipped(windows[i], frame_), score);
    }
    return found;
  }

 private:
  Size frame_;
  Size window_;
  WindowFinder finder_;
  std::shared_ptr<Workers> workers_;
  CascadeOptions options_;
  Slots permits_;
  std::vector<Slot> slots_;
};

void CascadeRequest::prepare(const Frame& frame) {
  if (state_ == State::started) expect(State::idle, "prepare");
  if (frame.device.kind != DeviceKind::cpu)
    throw Error(ErrorKind::internal, "cascade: frame on " + to_string(frame.device));
  if (frame.upright() != detector_->frame())
    throw Error(ErrorKind::internal,
                "cascade: frame of another size than the detector was made for");
  slot_.grey = slot_.grey_maker.grey(frame);  // which may be the frame's own luma
  owner_ = frame.owner;
  state_ = State::prepared;
}

// Works here: its own threads are all busy with it.
void CascadeRequest::start() {
  expect(State::prepared, "start");
  interval_.begin = Clock::now();
  found_ = detector_->find(slot_);
  interval_.end = Clock::now();
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

}  // namespace facepipe::cascade
