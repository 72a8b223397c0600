#include "track/cuda/motion.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/check.h"
#include "core/error.h"
#include "track/cuda/kernels.h"
#include "track/motion_rules.h"

namespace facepipe::track {
namespace {

constexpr std::size_t kPointsOfStep = std::size_t{kMostGrid} * kMostGrid;

/// Returns how many bytes of a picture are copied to the host: first the counts, then the points.
std::size_t findings_bytes(int places) {
  return sizeof(CellCounts) + static_cast<std::size_t>(places) * sizeof(TexturedPoint);
}

/// Owns the memory of a picture, on the device and on the host. Later pictures use the same memory
/// again.
struct PictureMemory {
  PictureMemory(const PyramidShape& shape, int places)
      : device_findings(findings_bytes(places)), host_findings(findings_bytes(places)) {
    std::size_t samples = 0;
    for (int i = 0; i < shape.levels; ++i) samples += shape.samples(i);
    pyramid = cuda::DeviceBuffer<std::uint8_t>(samples);
  }

  [[nodiscard]] std::uint32_t* device_counts() const {
    return reinterpret_cast<std::uint32_t*>(device_findings.data());
  }
  [[nodiscard]] TexturedPoint* device_points() const {
    return reinterpret_cast<TexturedPoint*>(device_findings.data() + sizeof(CellCounts));
  }

  cuda::DeviceBuffer<std::uint8_t> pyramid;
  cuda::DeviceBuffer<std::byte> device_findings;
  cuda::PinnedBuffer<std::byte> host_findings;
};

/// Keeps memory that pictures have given back. It lives as long as the estimator or any picture.
class FreeMemory {
 public:
  [[nodiscard]] std::unique_ptr<PictureMemory> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return nullptr;
    std::unique_ptr<PictureMemory> memory = std::move(free_.back());
    free_.pop_back();
    return memory;
  }
  void give_back(std::unique_ptr<PictureMemory> memory) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(memory));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<PictureMemory>> free_;
};

class CudaMotionPicture final : public MotionPicture {
 public:
  CudaMotionPicture(Size size, std::unique_ptr<PictureMemory> memory,
                    std::shared_ptr<FreeMemory> home)
      : MotionPicture(size), memory_(std::move(memory)), home_(std::move(home)) {}
  ~CudaMotionPicture() override { home_->give_back(std::move(memory_)); }
  CudaMotionPicture(const CudaMotionPicture&) = delete;
  CudaMotionPicture& operator=(const CudaMotionPicture&) = delete;

  [[nodiscard]] const PictureMemory& memory() const { return *memory_; }

  // Returns the histograms. Call it only after the counts were copied to the host. A lane and the
  // tracker may call it at the same time.
  [[nodiscard]] const CellHistograms& histograms() const {
    std::call_once(counted_, [this] {
      CellCounts counts;
      std::memcpy(&counts, memory_->host_findings.data(), sizeof(counts));
      histograms_ = histograms_of(counts);
    });
    return histograms_;
  }
  [[nodiscard]] std::span<const TexturedPoint> points(int places) const {
    const std::byte* const first = memory_->host_findings.data() + sizeof(CellCounts);
    return {reinterpret_cast<const TexturedPoint*>(first), static_cast<std::size_t>(places)};
  }

 private:
  std::unique_ptr<PictureMemory> memory_;
  std::shared_ptr<FreeMemory> home_;
  mutable std::once_flag counted_;
  mutable CellHistograms histograms_{};
};

const CudaMotionPicture& as_cuda(const MotionPicture& picture) {
  return static_cast<const CudaMotionPicture&>(picture);
}

class CudaMotionEstimator final : public MotionEstimator {
 public:
  CudaMotionEstimator(Size upright, cuda::Event::Wait wait, CopyCounter& copies)
      : shape_(upright),
        places_(TextureGrid(shape_.size(shape_.coarse())).places()),
        copies_(copies),
        done_(cuda::Event::Timing::off, wait) {
    make_room(static_cast<std::size_t>(places_));
  }
  // Waits for the device, because no other picture may get this memory while the device works on
  // it.
  ~CudaMotionEstimator() override {
    static_cast<void>(cudaStreamSynchronize(stream_.view().get()));
  }
  CudaMotionEstimator(const CudaMotionEstimator&) = delete;
  CudaMotionEstimator& operator=(const CudaMotionEstimator&) = delete;

  [[nodiscard]] std::shared_ptr<const MotionPicture> make_picture(const Frame& frame) override {
    check(frame);
    std::unique_ptr<PictureMemory> memory = free_->take();
    if (!memory) memory = std::make_unique<PictureMemory>(shape_, places_);
    if (frame.ready != nullptr)
      FACEPIPE_CUDA_CHECK(cudaStreamWaitEvent(stream_.view().get(), frame.ready));
    enqueue_pyramid(frame, shape_, memory->pyramid.data(), stream_);
    const DevicePyramid pyramid{memory->pyramid.data(), shape_};
    const LumaLevel coarse = pyramid.level(shape_.coarse());
    cuda::fill(memory->device_findings.span().first(sizeof(CellCounts)), 0, stream_);
    enqueue_counts(coarse, memory->device_counts(), stream_);
    enqueue_textured_points(coarse, memory->device_points(), stream_);
    cuda::copy(memory->host_findings.span(), memory->device_findings.span(), stream_);
    copies_.add(CopyKind::motion, memory->host_findings.size());
    done_.record(stream_);
    return std::make_shared<CudaMotionPicture>(shape_.picture, std::move(memory), free_);
  }

  void wait() override { done_.synchronize(); }

  [[nodiscard]] PictureChange compare(const MotionPicture& before,
                                      const MotionPicture& now) override {
    const CudaMotionPicture& from = as_cuda(before);
    const CudaMotionPicture& to = as_cuda(now);
    enqueue_camera_points({from.memory().pyramid.data(), shape_},
                          {to.memory().pyramid.data(), shape_}, from.memory().device_points(),
                          places_, followed_.data(), stream_);
    bring_back(static_cast<std::size_t>(places_));
    const std::span<const TexturedPoint> textured = from.points(places_);
    std::vector<Point> points;
    std::vector<std::optional<Point>> followed;
    for (const std::size_t i : camera_points(textured)) {
      points.push_back(textured[i].at);
      const FollowedPoint& point = results_.span()[i];
      followed.push_back(point.found != 0 ? std::optional(point.at) : std::nullopt);
    }
    return change_between(distance(from.histograms(), to.histograms()), points, followed,
                          PyramidShape::scale(shape_.coarse()));
  }

  [[nodiscard]] std::vector<Box> follow(std::span<const BoxStep> steps) override {
    std::vector<std::size_t> followed;  // the other steps need no pictures
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (steps[i].grid > 0) followed.push_back(i);
    send(steps, followed);
    std::vector<Box> places;
    places.reserve(steps.size());
    std::size_t next = 0;
    for (const BoxStep& step : steps) {
      if (step.grid > 0)
        places.push_back(place(step, next++));
      else
        places.push_back(place_of(step, {}, {}));
    }
    return places;
  }

  [[nodiscard]] bool is_far() const override { return true; }

 private:
  void check(const Frame& frame) const {
    if (frame.device.kind != DeviceKind::cuda || !frame.format.semi_planar)
      throw Error(ErrorKind::internal, "motion: a frame on " + to_string(frame.device));
    if (frame.upright() != shape_.picture)
      throw Error(ErrorKind::internal,
                  "motion: the picture doesn't have the size that was given before");
  }

  /// Makes room for `results` results. The device must not write results meanwhile.
  void make_room(std::size_t results) {
    if (results <= results_.size()) return;
    const std::size_t room = std::max(results, 2 * results_.size());
    followed_ = cuda::DeviceBuffer<FollowedPoint>(room);
    results_ = cuda::PinnedBuffer<FollowedPoint>(room);
  }

  /// Copies results to the host, and waits until this and all earlier work has ended.
  void bring_back(std::size_t results) {
    if (results > 0) {
      cuda::copy(results_.span().first(results), followed_.span(), stream_);
      copies_.add(CopyKind::motion, results * sizeof(FollowedPoint));
    }
    done_.record(stream_);
    done_.synchronize();
  }

  /// Follows the points of the steps on the device, and waits for the results.
  void send(std::span<const BoxStep> steps, std::span<const std::size_t> followed) {
    if (followed.empty()) return;
    make_room(followed.size() * kPointsOfStep);
    for (std::size_t first = 0; first < followed.size(); first += StepBatch::kCapacity) {
      const auto its =
          followed.subspan(first, std::min(StepBatch::kCapacity, followed.size() - first));
      StepBatch batch;
      batch.shape = shape_;
      for (const std::size_t i : its) batch.steps[batch.count++] = on_device(steps[i]);
      enqueue_box_points(batch, followed_.data() + first * kPointsOfStep, stream_);
    }
    bring_back(followed.size() * kPointsOfStep);
  }

  [[nodiscard]] DeviceStep on_device(const BoxStep& step) const {
    const float side = std::min(step.box.width(), step.box.height());
    return {as_cuda(*step.from).memory().pyramid.data(),
            as_cuda(*step.to).memory().pyramid.data(),
            step.box,
            step.camera,
            step.grid,
            level_for(shape_, side)};
  }

  /// Returns the box after the step. `i` is the index of the step among the steps that were sent.
  [[nodiscard]] Box place(const BoxStep& step, std::size_t i) const {
    std::vector<float> xs;
    std::vector<float> ys;
    const auto points = static_cast<std::size_t>(step.grid) * static_cast<std::size_t>(step.grid);
    for (const FollowedPoint& point : results_.span().subspan(i * kPointsOfStep).first(points)) {
      if (point.found == 0) continue;
      xs.push_back(point.at.x);
      ys.push_back(point.at.y);
    }
    return place_of(step, xs, ys);
  }

  const PyramidShape shape_;
  const int places_;  ///< number of places of the TextureGrid
  CopyCounter& copies_;
  // The stream is urgent, because the host waits for it. Detection can wait.
  cuda::Stream stream_{cuda::Stream::Priority::urgent};
  cuda::Event done_;
  std::shared_ptr<FreeMemory> free_ = std::make_shared<FreeMemory>();
  cuda::DeviceBuffer<FollowedPoint> followed_;
  cuda::PinnedBuffer<FollowedPoint> results_;  ///< copy of `followed_` on the host
};

}  // namespace

std::unique_ptr<MotionEstimator> make_cuda_motion_estimator(Size upright, cuda::Event::Wait wait,
                                                            CopyCounter& copies) {
  return std::make_unique<CudaMotionEstimator>(upright, wait, copies);
}

}  // namespace facepipe::track
