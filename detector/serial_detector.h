// Defines a detector that searches one frame at a time, because a frame keeps all its threads busy.
// Several frames can wait in it, prepared.
#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/permit_pool.h"
#include "detector/detector.h"

namespace facepipe::detector {

/// Searches frames of one size in host memory. `Picture` is what the search needs of a frame. There
/// is one for each request, and requests reuse them. Create it with std::make_shared().
template <class Picture>
class SerialDetector : public Detector,
                       public std::enable_shared_from_this<SerialDetector<Picture>> {
 public:
  /// @param name      begins the messages of errors
  /// @param frame     the upright size of all frames
  /// @param requests  number of frames that the detector may hold at the same time, >= 1
  SerialDetector(std::string name, Size frame, int requests)
      : name_(std::move(name)),
        frame_(frame),
        permits_(requests),
        pictures_(static_cast<std::size_t>(requests)) {}

  std::unique_ptr<DetectionRequest> acquire(const std::stop_token& stop) override {
    PermitPool::Permit permit = permits_.acquire(stop);
    Picture& picture = pictures_[static_cast<std::size_t>(permit.number())];
    return std::make_unique<Request>(this->shared_from_this(), std::move(permit), picture);
  }

 protected:
  [[nodiscard]] Size frame() const { return frame_; }

  /// Takes what the search needs of a frame. Several threads may call it, each with another
  /// picture. The picture may refer to the frame's samples, which stay until find() has returned.
  virtual void prepare(const Frame& frame, Picture& picture) = 0;

  /// Searches a picture. Only one thread at a time calls it.
  [[nodiscard]] virtual Detections find(const Picture& picture) = 0;

 private:
  class Request;

  void check(const Frame& frame) const {
    if (frame.device.kind != DeviceKind::cpu)
      throw Error(ErrorKind::internal, name_ + ": frame on " + to_string(frame.device));
    if (frame.upright() != frame_)
      throw Error(ErrorKind::internal,
                  name_ + ": frame of another size than the detector was made for");
  }

  /// Waits until other requests are done. Sets `interval` to the time of this request, without the
  /// waiting time.
  [[nodiscard]] Detections find_alone(const Picture& picture, Interval& interval) {
    const std::scoped_lock lock(mutex_);
    interval.begin = Clock::now();
    Detections found = find(picture);
    interval.end = Clock::now();
    return found;
  }

  std::string name_;
  Size frame_;
  PermitPool permits_;
  std::vector<Picture> pictures_;
  std::mutex mutex_;  // makes find() serial
};

template <class Picture>
class SerialDetector<Picture>::Request final : public DetectionRequest {
 public:
  Request(std::shared_ptr<SerialDetector> detector, PermitPool::Permit permit, Picture& picture)
      : detector_(std::move(detector)), permit_(std::move(permit)), picture_(picture) {}

  void prepare(const Frame& frame) override {
    if (state_ == State::started) expect(State::idle, "prepare");
    detector_->check(frame);
    detector_->prepare(frame, picture_);
    owner_ = frame.owner;
    state_ = State::prepared;
  }

  // The work runs here and not in the background, because the work keeps all threads busy anyway.
  void start() override {
    expect(State::prepared, "start");
    found_ = detector_->find_alone(picture_, interval_);
    state_ = State::started;
  }

  [[nodiscard]] Detections collect() override {
    expect(State::started, "collect");
    state_ = State::idle;
    owner_.reset();
    return std::move(found_);
  }

  [[nodiscard]] Interval inference() const override { return interval_; }

 private:
  enum class State { idle, prepared, started };
  void expect(State state, const char* call) const {
    if (state_ != state)
      throw Error(ErrorKind::internal, std::string("detector: ") + call + " called out of turn");
  }

  // Members are destroyed in reverse order. So the permit is returned before the detector is
  // released.
  std::shared_ptr<SerialDetector> detector_;
  PermitPool::Permit permit_;
  Picture& picture_;
  std::shared_ptr<void> owner_;  // keeps the samples alive that picture_ may refer to
  State state_ = State::idle;
  Detections found_;
  Interval interval_;
};

}  // namespace facepipe::detector
