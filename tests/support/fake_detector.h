// Fakes a detector without a network. The fake detector returns the candidates that a test sets, or
// fails if the test says so.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/permit_pool.h"
#include "detector/detector.h"

namespace facepipe::test {

/// Says what the fake detector does at each step. By default, it finds nothing.
struct FakeBehaviour {
  Detections candidates;
  /// if set, returns the candidates instead of `candidates`
  std::function<Detections(const Frame&)> candidates_of;
  std::function<void(const Frame&)> on_prepare = [](const Frame&) {};
  std::function<void()> on_start = [] {};
  std::function<void()> on_collect = [] {};
  /// adds the copies of one collect()
  std::function<void(CopyCounter&)> copied = [](CopyCounter&) {};
};

class FakeRequest final : public detector::DetectionRequest {
 public:
  FakeRequest(const FakeBehaviour& behaviour, PermitPool::Permit permit)
      : behaviour_(behaviour), permit_(std::move(permit)) {}

  void prepare(const Frame& frame) override {
    behaviour_.on_prepare(frame);
    found_ = behaviour_.candidates_of ? behaviour_.candidates_of(frame) : behaviour_.candidates;
  }
  void start() override {
    interval_.begin = Clock::now();
    behaviour_.on_start();
  }
  Detections collect() override {
    behaviour_.on_collect();
    interval_.end = Clock::now();
    return std::move(found_);
  }
  [[nodiscard]] Interval inference() const override { return interval_; }
  void count_copies(CopyCounter& copies) const override { behaviour_.copied(copies); }

 private:
  const FakeBehaviour& behaviour_;
  PermitPool::Permit permit_;
  Detections found_;
  Interval interval_;
};

class FakeDetector final : public detector::Detector {
 public:
  FakeDetector(const FakeBehaviour& behaviour, Size size) : behaviour_(behaviour), size_(size) {}

  std::unique_ptr<detector::DetectionRequest> acquire(const std::stop_token& stop) override {
    return std::make_unique<FakeRequest>(behaviour_, pool_.acquire(stop));
  }
  [[nodiscard]] detector::DetectorFacts facts() const override { return {size_, {}, {}}; }

 private:
  const FakeBehaviour& behaviour_;
  Size size_;
  PermitPool pool_{2};
};

/// Makes fake detectors for run_job(). Tests may change `behaviour` between runs.
class FakeDetectorFactory final : public detector::DetectorFactory {
 public:
  explicit FakeDetectorFactory(detector::ModelAbout about = {})
      : detector::DetectorFactory({}, "fake", "", true, {detector::FoundClass{}},
                                  std::move(about)) {}
  /// All lanes of a job share one detector, as with real factories.
  std::shared_ptr<detector::Detector> detector(Size frame) override {
    if (!kept_ || kept_->facts().network != frame)
      kept_ = std::make_shared<FakeDetector>(behaviour, frame);
    return kept_;
  }

  FakeBehaviour behaviour;

 private:
  std::shared_ptr<FakeDetector> kept_;
};

}  // namespace facepipe::test
