#include "detector/cnn/cpu/cnn_detector.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/permit_pool.h"
#include "detector/cnn/cpu/preprocess.h"

namespace facepipe::detector {
namespace {

/// Holds the memory for one frame.
struct Slot {
  Preprocessor preprocessor;
  std::unique_ptr<Inference> inference;
};

class CnnDetector;

class CnnRequest final : public DetectionRequest {
 public:
  CnnRequest(std::shared_ptr<CnnDetector> detector, PermitPool::Permit permit, Slot& slot)
      : detector_(std::move(detector)), permit_(std::move(permit)), slot_(slot) {}
  ~CnnRequest() override;

  void prepare(const Frame& frame) override;
  void start() override;
  [[nodiscard]] Detections collect() override;
  [[nodiscard]] Interval inference() const override { return interval_; }
  void count_copies(CopyCounter& copies) const override { slot_.inference->count_copies(copies); }

 private:
  enum class State { idle, prepared, started };
  void expect(State state, const char* call) const;

  // Members are destroyed in reverse order. So the permit is returned before the detector is
  // released. The destructor waits for the network to stop before it destroys these two members.
  std::shared_ptr<CnnDetector> detector_;
  PermitPool::Permit permit_;
  Slot& slot_;
  State state_ = State::idle;
  Interval interval_;
};

class CnnDetector final : public Detector, public std::enable_shared_from_this<CnnDetector> {
 public:
  explicit CnnDetector(CnnDetectorParts parts)
      : parts_(std::move(parts)), permits_(parts_.requests) {
    const auto pad = static_cast<std::uint8_t>(parts_.input.pad);
    for (int i = 0; i < parts_.requests; ++i) {
      slots_.push_back({Preprocessor(parts_.fit, parts_.input.channel_order, pad),
                        parts_.engine->make_inference()});
      // Preprocessing never writes the rows below the content, so they are filled here.
      std::ranges::fill(slots_.back().inference->input(), pad);
    }
  }

  std::unique_ptr<DetectionRequest> acquire(const std::stop_token& stop) override {
    PermitPool::Permit permit = permits_.acquire(stop);
    Slot& slot = slots_[static_cast<std::size_t>(permit.number())];
    return std::make_unique<CnnRequest>(shared_from_this(), std::move(permit), slot);
  }

  [[nodiscard]] DetectorFacts facts() const override { return {parts_.fit.network, {}, {}}; }

  [[nodiscard]] Detections decode(const Inference& inference) const {
    NetworkOutputs outputs;
    const std::size_t count = parts_.head.strides.size() * parts_.head.outputs.size();
    for (std::size_t i = 0; i < count; ++i) outputs.push_back(inference.output(i));
    return decode_head(parts_.head, outputs, parts_.fit, parts_.score_threshold);
  }

 private:
  CnnDetectorParts parts_;
  PermitPool permits_;
  std::vector<Slot> slots_;
};

CnnRequest::~CnnRequest() {
  if (state_ != State::started) return;
  try {
    slot_.inference->wait();
  } catch (const std::exception& failure) {
    spdlog::warn("detector: a search failed, but nobody needs its result: {}", failure.what());
  }
}

void CnnRequest::expect(State state, const char* call) const {
  if (state_ != state)
    throw Error(ErrorKind::internal, std::string("detector: ") + call + " called out of turn");
}

void CnnRequest::prepare(const Frame& frame) {
  if (state_ == State::started) expect(State::idle, "prepare");
  slot_.preprocessor.convert(frame, slot_.inference->input());
  state_ = State::prepared;
}

void CnnRequest::start() {
  expect(State::prepared, "start");
  interval_.begin = Clock::now();
  slot_.inference->start();
  state_ = State::started;
}

Detections CnnRequest::collect() {
  expect(State::started, "collect");
  state_ = State::idle;
  slot_.inference->wait();
  Detections detections = detector_->decode(*slot_.inference);
  interval_.end = Clock::now();
  return detections;
}

}  // namespace

std::shared_ptr<Detector> make_cnn_detector(CnnDetectorParts parts) {
  return std::make_shared<CnnDetector>(std::move(parts));
}

}  // namespace facepipe::detector
