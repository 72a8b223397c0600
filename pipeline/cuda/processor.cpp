#include "pipeline/cuda/processor.h"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "core/cuda/devices.h"
#include "core/timing.h"
#include "nms/nms.h"
#include "pipeline/cuda/face_drawing.h"
#include "pipeline/detection_report.h"
#include "pipeline/face_tracks.h"
#include "pipeline/hide/hiding.h"
#include "track/cuda/motion.h"

namespace facepipe::pipeline {
namespace {

/// Holds a frame's graph while it runs.
class CudaWork final : public FrameWork {
 public:
  CudaWork(PermitPool::Permit permit, FrameGraph& graph)
      : permit_(std::move(permit)), graph_(graph), launched_(Clock::now()) {}

  ~CudaWork() override {
    if (waited_for_) return;
    try {
      graph_.wait();  // otherwise another picture would get the frame's memory while the graph runs
    } catch (const std::exception& failure) {
      spdlog::warn("the device failed at a frame that was given up: {}", failure.what());
    }
  }
  CudaWork(const CudaWork&) = delete;
  CudaWork& operator=(const CudaWork&) = delete;

  void finish(FrameRecord& record, CopyCounter& copies) {
    graph_.wait();
    waited_for_ = true;
    graph_.fill(record, launched_, Clock::now(), copies);
  }
  [[nodiscard]] Detections to_follow(CopyCounter& copies) { return graph_.to_follow(copies); }
  [[nodiscard]] std::uint32_t beyond_capacity() const { return graph_.beyond_capacity(); }

 private:
  PermitPool::Permit permit_;
  FrameGraph& graph_;
  Clock::time_point launched_;
  bool waited_for_ = false;
};

/// A frame's graph also draws the faces. If faces are followed, draw() draws them instead, because
/// only the host knows their tracks. The eight members are the graphs, the objects that work after
/// them, and facts about the job.
class CudaProcessor final : public FrameProcessor {
 public:
  /// @param graphs  nullptr if tracks are known
  CudaProcessor(const ProcessorSetup& setup, Device device, std::shared_ptr<GraphSet> graphs)
      : device_(device),
        graphs_(std::move(graphs)),
        nms_capacity_(nms::nms_capacity(setup.options.search.nms)),
        hides_(setup.options.hide.has_value()),
        copies_(setup.copies) {
    if (!graphs_) return;
    log_tiles(graphs_->detector->facts().tiling);
    if (follows(setup.options)) prepare_following(setup);
  }

  void start(WorkItem& item, const std::stop_token& stop) override {
    if (!graphs_) return;
    cuda::use_device(device_);
    PermitPool::Permit permit = graphs_->places.acquire(stop);
    FrameGraph& graph = *graphs_->graphs[static_cast<std::size_t>(permit.number())];
    const ScopedCpuTime cpu(item.record.times, StageId::inference);
    item.work = std::make_unique<CudaWork>(std::move(permit), graph);
    graph.launch(item.frame, copies_);
  }

  void finish(WorkItem& item) override {
    if (!graphs_) return;
    cuda::use_device(device_);
    auto& work = static_cast<CudaWork&>(*item.work);
    const ScopedCpuTime cpu(item.record.times, StageId::inference);
    work.finish(item.record, copies_);
    if (tracks_) item.to_follow = work.to_follow(copies_);
    candidates_ignored_ += work.beyond_capacity();
    if (hides_) refuse_ignored(work.beyond_capacity());
    item.work.reset();
    item.frame.ready = nullptr;  // the graph has already waited for this event
  }

  [[nodiscard]] bool draws_without_video() const override { return tracks_.has_value(); }

  void pass_on(WorkItem item, const Sink& sink) override {
    if (tracks_) follow(item);
    sink(std::move(item));
  }

  void draw(WorkItem& item) override {
    if (!drawing_) return;
    const ScopedInterval interval(item.record.times[StageId::overlay]);
    const ScopedCpuTime cpu(item.record.times, StageId::overlay);
    drawing_->draw(item.frame, item.record.faces, item.record.face_tracks);
  }

  [[nodiscard]] std::int64_t candidates_ignored() const override { return candidates_ignored_; }

  [[nodiscard]] std::optional<DetectionFacts> detection() const override {
    if (!graphs_) return std::nullopt;
    return DetectionFacts{graphs_->detector->facts(), nms_capacity_};
  }

 private:
  void prepare_following(const ProcessorSetup& setup) {
    const Frame& first = setup.first;
    tracks_.emplace(*setup.options.follow, setup.options.search.scales,
                    track::make_cuda_motion_estimator(first.upright(), wait_of(setup), copies_));
    const overlay::OverlayStyle style = style_of(setup.options);
    if (style.any())
      drawing_.emplace(overlay::CudaOverlaySetup{first.size, first.format, first.orientation, style,
                                                 graphs_->graphs.front()->most_faces()},
                       copies_);
  }

  void follow(WorkItem& item) {
    const ScopedInterval interval(item.record.times[StageId::overlay]);
    const ScopedCpuTime cpu(item.record.times, StageId::overlay);
    item.record.face_tracks = tracks_->assign(item.frame, item.record, item.to_follow).faces;
  }

  Device device_;
  std::shared_ptr<GraphSet> graphs_;
  std::uint32_t nms_capacity_;
  bool hides_;
  CopyCounter& copies_;
  std::optional<FaceTracks> tracks_;
  std::optional<FaceDrawing> drawing_;
  std::int64_t candidates_ignored_ = 0;
};

}  // namespace

cuda::Event::Wait wait_of(const ProcessorSetup& setup) {
  return setup.several_lanes ? cuda::Event::Wait::sleeping : cuda::Event::Wait::spinning;
}

overlay::OverlayStyle style_of(const JobOptions& options) {
  return options.output.path.empty() || options.hide ? overlay::kNoOverlay : options.overlay;
}

bool follows(const JobOptions& options) { return options.follow && !options.hide; }

std::unique_ptr<FrameProcessor> make_cuda_processor(const ProcessorSetup& setup, Device device,
                                                    std::shared_ptr<GraphSet> graphs) {
  return std::make_unique<CudaProcessor>(setup, device, std::move(graphs));
}

}  // namespace facepipe::pipeline
