#include "detector/cnn/cpu/tiled_detector.h"

#include <optional>
#include <utility>

#include "core/error.h"
#include "core/permit_pool.h"
#include "detector/part.h"

namespace facepipe::detector {
namespace {

Frame tile_of(const Frame& frame, const Tiling& tiling, int index) {
  // upright_size() is its own inverse
  return part_of(frame, tiling.stored_origin(index, frame.orientation),
                 upright_size(tiling.tile.frame, frame.orientation));
}

class TiledDetector;

class TiledRequest final : public DetectionRequest {
 public:
  TiledRequest(std::shared_ptr<const TiledDetector> detector, PermitPool::Permit permit)
      : detector_(std::move(detector)), permit_(std::move(permit)) {}

  void prepare(const Frame& frame) override;
  void start() override;
  [[nodiscard]] Detections collect() override;
  [[nodiscard]] Interval inference() const override { return interval_; }
  void count_copies(CopyCounter& copies) const override { copies.add(*copies_); }

 private:
  [[nodiscard]] std::unique_ptr<DetectionRequest> prepared(int view) const;
  [[nodiscard]] Detections collected(DetectionRequest& part);

  std::shared_ptr<const TiledDetector> detector_;
  PermitPool::Permit permit_;
  std::optional<Frame> frame_;
  std::unique_ptr<DetectionRequest> first_;
  Interval interval_;
  std::optional<CopyCounter> copies_{std::in_place};  // copies of all parts
};

class TiledDetector final : public Detector, public std::enable_shared_from_this<TiledDetector> {
 public:
  TiledDetector(const Tiling& tiling, std::shared_ptr<Detector> tile,
                std::shared_ptr<Detector> whole)
      : layout(tiling), tile_(std::move(tile)), whole_(std::move(whole)), places_(1) {}

  std::unique_ptr<DetectionRequest> acquire(const std::stop_token& stop) override {
    return std::make_unique<TiledRequest>(shared_from_this(), places_.acquire(stop));
  }
  [[nodiscard]] DetectorFacts facts() const override {
    DetectorFacts facts = tile_->facts();
    facts.tiling = layout;
    return facts;
  }

  /// Returns a request: for a tile if `view` < tiling.count(), and for the whole picture if `view`
  /// is tiling.count().
  [[nodiscard]] std::unique_ptr<DetectionRequest> request(int view) const {
    return (view < layout.count() ? *tile_ : *whole_).acquire({});
  }

  const Tiling layout;

 private:
  std::shared_ptr<Detector> tile_;
  std::shared_ptr<Detector> whole_;
  PermitPool places_;
};

void TiledRequest::prepare(const Frame& frame) {
  if (frame.upright() != detector_->layout.whole.frame)
    throw Error(ErrorKind::internal, "tiles: frame of another size than the detector was made for");
  first_.reset();
  frame_ = view_of(frame);
  // The picture as a whole has the same matrix as its tiles (see part_of()).
  frame_->color.matrix = matrix_or_default(frame.color, frame.size);
  first_ = prepared(0);
}

std::unique_ptr<DetectionRequest> TiledRequest::prepared(int view) const {
  const Tiling& tiling = detector_->layout;
  std::unique_ptr<DetectionRequest> request = detector_->request(view);
  request->prepare(view < tiling.count() ? tile_of(*frame_, tiling, view) : view_of(*frame_));
  return request;
}

void TiledRequest::start() {
  if (!first_) throw Error(ErrorKind::internal, "tiles: start called out of turn");
  interval_.begin = Clock::now();
  first_->start();
}

Detections TiledRequest::collected(DetectionRequest& part) {
  Detections found = part.collect();
  part.count_copies(*copies_);
  return found;
}

Detections TiledRequest::collect() {
  const Tiling& tiling = detector_->layout;
  Detections all;
  copies_.emplace();
  std::unique_ptr<DetectionRequest> running = std::move(first_);
  if (!running) throw Error(ErrorKind::internal, "tiles: collect called out of turn");
  for (int tile = 0; tile < tiling.count(); ++tile) {
    std::unique_ptr<DetectionRequest> next = prepared(tile + 1);
    append_kept(all, collected(*running), tiling, tile);
    running = std::move(next);
    running->start();
  }
  append(all, collected(*running));
  frame_.reset();
  interval_.end = Clock::now();
  return all;
}

}  // namespace

std::shared_ptr<Detector> make_tiled_detector(const Tiling& tiling, std::shared_ptr<Detector> tile,
                                              std::shared_ptr<Detector> whole) {
  return std::make_shared<TiledDetector>(tiling, std::move(tile), std::move(whole));
}

}  // namespace facepipe::detector
