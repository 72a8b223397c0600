#include "detector/looks_detector.h"

#include <optional>
#include <utility>

#include "core/error.h"
#include "detector/mirror.h"
#include "detector/turned_faces.h"

namespace facepipe::detector {
namespace {

using SharedLooks = std::shared_ptr<const std::vector<LookAt>>;

bool is_at(const LookAt& look, const Frame& frame) {
  return look.quarter_turns == 0 || frame.index % kTurns == look.quarter_turns - 1;
}

Frame seen_by(const LookAt& look, const Frame& frame) {
  if (look.quarter_turns > 0) return turned_view(frame, look.quarter_turns);
  return look.mirrored ? mirrored_view(frame) : view_of(frame);
}

/// Converts what a look has found to the picture itself, and appends it to `to`.
void append_found(Detections& to, const Detections& found, const LookAt& look, Size upright) {
  if (look.mirrored) return append_mirrored(to, found, upright.width);
  if (look.quarter_turns == 0) return append(to, found, look.first_class);
  Detections back;
  append_turned_back(back, found, look.quarter_turns, upright);
  append(to, back);
}

class LooksRequest final : public DetectionRequest {
 public:
  LooksRequest(SharedLooks looks, std::unique_ptr<DetectionRequest> first)
      : looks_(std::move(looks)), first_(std::move(first)) {}

  void prepare(const Frame& frame) override {
    frame_.reset();
    first_->prepare(frame);
    frame_ = view_of(frame);
  }
  void start() override { first_->start(); }
  [[nodiscard]] Detections collect() override;
  [[nodiscard]] Interval inference() const override { return interval_; }
  void count_copies(CopyCounter& copies) const override { copies.add(*copies_); }

 private:
  [[nodiscard]] Detections collected(DetectionRequest& request);
  [[nodiscard]] Detections look(const LookAt& at);

  SharedLooks looks_;
  std::unique_ptr<DetectionRequest> first_;
  std::optional<Frame> frame_;
  Interval interval_;
  std::optional<CopyCounter> copies_{std::in_place};  // copies of all looks
};

Detections LooksRequest::collected(DetectionRequest& request) {
  Detections found = request.collect();
  request.count_copies(*copies_);
  interval_.end = request.inference().end;
  return found;
}

/// Looks once more at the frame of the first look.
Detections LooksRequest::look(const LookAt& at) {
  const bool has_place = at.detector == looks_->front().detector;
  // acquire() may wait, but not for long: the LooksRequest that holds this detector's request is in
  // collect(), and gives the request back there.
  const std::unique_ptr<DetectionRequest> own = has_place ? nullptr : at.detector->acquire({});
  DetectionRequest& request = has_place ? *first_ : *own;
  request.prepare(seen_by(at, *frame_));
  request.start();
  return collected(request);
}

Detections LooksRequest::collect() {
  if (!frame_) throw Error(ErrorKind::internal, "looks: collect called out of turn");
  copies_.emplace();
  Detections all = collected(*first_);
  interval_.begin = first_->inference().begin;
  for (std::size_t i = 1; i < looks_->size(); ++i) {
    const LookAt& at = (*looks_)[i];
    if (is_at(at, *frame_)) append_found(all, look(at), at, frame_->upright());
  }
  frame_.reset();
  return all;
}

class LooksDetector final : public Detector {
 public:
  explicit LooksDetector(std::vector<LookAt> looks)
      : looks_(std::make_shared<const std::vector<LookAt>>(std::move(looks))) {}

  std::unique_ptr<DetectionRequest> acquire(const std::stop_token& stop) override {
    return std::make_unique<LooksRequest>(looks_, looks_->front().detector->acquire(stop));
  }
  [[nodiscard]] DetectorFacts facts() const override { return looks_->front().detector->facts(); }

 private:
  SharedLooks looks_;
};

}  // namespace

std::shared_ptr<Detector> make_looks_detector(std::vector<LookAt> looks) {
  if (looks.empty() || looks.front().mirrored || looks.front().quarter_turns != 0)
    throw Error(ErrorKind::internal, "looks: the first look is at the picture itself");
  if (looks.size() == 1) return looks.front().detector;
  return std::make_shared<LooksDetector>(std::move(looks));
}

}  // namespace facepipe::detector
