#include "pipeline/cuda/stages.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>
#include <vector>

#include "core/cuda/copies.h"
#include "core/cuda/devices.h"
#include "core/error.h"
#include "core/slots.h"
#include "pipeline/cuda/frame_graph.h"
#include "video/cuda/decoder.h"
#include "video/cuda/downloading_encoder.h"
#include "video/cuda/encoder_plan.h"
#include "video/cuda/hardware_device.h"
#include "video/cuda/jpeg_encoder.h"
#include "video/cuda/nvenc.h"
#include "video/cuda/nvenc_encoder.h"

namespace facepipe {
namespace {

/// A frame's graph while it runs.
class CudaWork final : public FrameWork {
 public:
  CudaWork(Slots::Permit permit, FrameGraph& graph)
      : permit_(std::move(permit)), graph_(graph), launched_(Clock::now()) {}

  ~CudaWork() override {
    if (waited_for_) return;
    try {
      graph_.wait();  // or the frame's memory would go to another picture under it
    } catch (const std::exception& failure) {
      spdlog::warn("a frame that nobody waited for failed: {}", failure.what());
    }
  }
  CudaWork(const CudaWork&) = delete;
  CudaWork& operator=(const CudaWork&) = delete;

  void finish(FrameRecord& record) {
    graph_.wait();
    waited_for_ = true;
    graph_.fill(record, launched_, Clock::now());
  }
  [[nodiscard]] const FaceCounts& counts() const { return graph_.counts(); }

 private:
  Slots::Permit permit_;
  FrameGraph& graph_;
  Clock::time_point launched_;
  bool waited_for_ = false;
};

class CudaStages final : public Stages {
 public:
  CudaStages(const JobOptions& options, Device device, const CudaDetectorFactory& detectors,
             int requests)
      : options_(options),
        device_(device),
        detectors_(detectors),
        requests_(requests),
        places_(requests) {}

  std::unique_ptr<Decoder> make_decoder(const Demuxer& demuxer, const DecoderOptions& options,
                                        TargetChooser choose_target, Notices& notices) override;
  void start(WorkItem& item, const std::stop_token& stop) override;
  void finish(WorkItem& item) override;
  void draw(WorkItem& /*item*/) override {}  // part of the frame's graph
  void check_encoder(const AVCodec& codec) const override;
  [[nodiscard]] EncoderPlan plan_encoder(const AVCodec& codec, const AVFrame& first, Size encoded,
                                         Notices& notices) const override;
  std::unique_ptr<Encoder> make_encoder(const EncoderSetup& setup, const Frame& first,
                                        Notices& notices) override;
  void report(JobResult& result, Notices& notices) const override;

 private:
  void make_graphs(const Frame& first);
  [[nodiscard]] std::string probe_nvenc(const NvencTask& task) const;

  const JobOptions& options_;
  Device device_;
  const CudaDetectorFactory& detectors_;
  int requests_;
  CopyCounter copies_;
  Slots places_;
  std::vector<std::unique_ptr<FrameGraph>> graphs_;
  DetectorFacts facts_;
  std::int64_t candidates_ignored_ = 0;
  bool still_image_ = false;
};

std::unique_ptr<Decoder> CudaStages::make_decoder(const Demuxer& demuxer,
                                                  const DecoderOptions& options,
                                                  TargetChooser choose_target, Notices& notices) {
  still_image_ = demuxer.is_still_image();
  CudaDecoderOptions cuda;
  cuda.stream = options;
  cuda.choice = options_.decoder;
  cuda.device = device_;
  cuda.frames_in_flight = options_.frames_in_flight + kDownloading;
  return make_cuda_decoder(demuxer, cuda, std::move(choose_target), notices, copies_);
}

void CudaStages::make_graphs(const Frame& first) {
  FrameGraphSetup setup;
  // Trials take longer than a picture.
  setup.detector =
      detectors_.detector({first.size, first.format, first.orientation}, nms_capacity(options_.nms),
                          still_image_ ? Tuning::none : Tuning::trials);
  setup.overlay = {
      first.size, first.format, first.orientation,
      options_.output.empty() ? OverlayStyle{false, false, false, false} : options_.overlay,
      setup.detector->capacity()};
  setup.nms = options_.nms;
  setup.sizes = {options_.min_face, options_.max_face};
  setup.with_faces = options_.wants_faces;
  setup.times_stages = options_.wants_stage_times;
  for (int i = 0; i < requests_; ++i)
    graphs_.push_back(std::make_unique<FrameGraph>(setup, copies_));
  facts_ = setup.detector->facts();
  tell_tiles(facts_.tiling);
}

void CudaStages::start(WorkItem& item, const std::stop_token& stop) {
  cuda::use_device(device_);
  if (graphs_.empty()) make_graphs(item.frame);
  Slots::Permit permit = places_.acquire(stop);
  FrameGraph& graph = *graphs_[static_cast<std::size_t>(permit.number())];
  const ScopedCpuTime cpu(item.record.times, StageId::inference);
  item.work = std::make_unique<CudaWork>(std::move(permit), graph);
  graph.launch(item.frame);
}

void CudaStages::finish(WorkItem& item) {
  cuda::use_device(device_);
  auto& work = static_cast<CudaWork&>(*item.work);
  const ScopedCpuTime cpu(item.record.times, StageId::inference);
  work.finish(item.record);
  candidates_ignored_ += work.counts().beyond_capacity;
  item.work.reset();
  item.frame.ready = nullptr;  // the graph waited for it
}

std::string CudaStages::probe_nvenc(const NvencTask& task) const {
  const UniqueAVBuffer hardware = open_hardware_device(device_, std::make_shared<cuda::Stream>());
  return reason_against_nvenc(task, *hardware);
}

void CudaStages::check_encoder(const AVCodec& codec) const {
  if (!is_nvenc(codec)) return;
  cuda::use_device(device_);
  NvencTask least;
  least.encoder = codec.name;
  const std::string reason = probe_nvenc(least);
  if (!reason.empty())
    throw Error(ErrorKind::device, "--codec " + least.encoder + ": " + to_string(device_) +
                                       " can't run it: " + reason);
}

EncoderPlan CudaStages::plan_encoder(const AVCodec& codec, const AVFrame& first, Size encoded,
                                     Notices& notices) const {
  cuda::use_device(device_);
  return plan_cuda_encoder(
      codec, first, encoded, options_.encoder, options_.output.string(),
      [this](const NvencTask& task) { return probe_nvenc(task); }, notices);
}

std::unique_ptr<Encoder> CudaStages::make_encoder(const EncoderSetup& setup, const Frame& first,
                                                  Notices& notices) {
  cuda::use_device(device_);
  if (setup.plan.codec->id == AV_CODEC_ID_MJPEG) {
    constexpr int kAtOnce = 1;  // nvJPEG's calls wait within the library: more gains nothing
    return make_cuda_encoder(setup, first, kAtOnce, notices, copies_);
  }
  if (is_nvenc(*setup.plan.codec))
    return make_nvenc_encoder(setup, first, device_, notices, copies_);
  notices.add(std::string("pictures leave the device for ") + setup.plan.codec->name +
              ", which encodes on the CPU");
  return make_downloading_encoder(setup, first, notices, copies_);
}

void CudaStages::report(JobResult& result, Notices& notices) const {
  result.network_size = facts_.network;
  result.tiling = facts_.tiling;
  tell_ignored(candidates_ignored_, nms_capacity(options_.nms), result, notices);
  for (std::size_t i = 0; i < kCopyKinds; ++i) {
    const auto kind = static_cast<CopyKind>(i);
    const CopyTotal total = copies_.total(kind);
    result.copies.push_back(
        {std::string(name_of(kind)), std::string(direction_of(kind)), total.calls, total.bytes});
  }
}

}  // namespace

std::unique_ptr<Stages> make_cuda_stages(const JobOptions& options, Device device,
                                         const CudaDetectorFactory& detectors, int requests) {
  return std::make_unique<CudaStages>(options, device, detectors, requests);
}

}  // namespace facepipe
