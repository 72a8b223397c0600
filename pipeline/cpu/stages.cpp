#include "pipeline/stages.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "nms/cpu/suppressor.h"
#include "overlay/overlay.h"
#include "pipeline/faces.h"
#include "video/pictures.h"

namespace facepipe {
namespace {

/// A frame's place in the detector.
struct CpuWork final : FrameWork {
  explicit CpuWork(std::unique_ptr<DetectionRequest> taken) : request(std::move(taken)) {}
  std::unique_ptr<DetectionRequest> request;
};

class CpuStages final : public Stages {
 public:
  CpuStages(const JobOptions& options, DetectorFactory& detectors)
      : options_(options),
        detectors_(detectors),
        suppressor_(options.nms, nms_capacity(options.nms)) {}

  std::unique_ptr<Decoder> make_decoder(const Demuxer& demuxer, const DecoderOptions& options,
                                        TargetChooser choose_target, Notices& notices) override {
    return make_cpu_decoder(demuxer, options, std::move(choose_target), notices);
  }

  void start(WorkItem& item, const std::stop_token& stop) override;
  void finish(WorkItem& item) override;
  void draw(WorkItem& item) override;

  void check_encoder(const AVCodec& codec) const override {
    if (is_nvenc(codec))
      throw Error(ErrorKind::usage,
                  std::string("--codec ") + codec.name + ": the device is the cpu");
  }
  [[nodiscard]] EncoderPlan plan_encoder(const AVCodec& codec, const AVFrame& first, Size encoded,
                                         Notices& notices) const override {
    return facepipe::plan_encoder(codec, first, encoded, options_.output.string(), notices);
  }
  std::unique_ptr<Encoder> make_encoder(const EncoderSetup& setup, const Frame& first,
                                        Notices& notices) override {
    return make_cpu_encoder(setup, first, notices);
  }

  void report(JobResult& result, Notices& notices) const override {
    result.network_size = facts_.network;
    result.tiling = facts_.tiling;
    tell_ignored(candidates_ignored_, suppressor_.capacity(), result, notices);
  }

 private:
  [[nodiscard]] static Detections collect(WorkItem& item);
  void suppress(const Detections& candidates, FrameRecord& record);

  const JobOptions& options_;
  DetectorFactory& detectors_;
  std::shared_ptr<Detector> detector_;
  CpuSuppressor suppressor_;
  DetectorFacts facts_;
  std::int64_t candidates_ignored_ = 0;
};

void CpuStages::start(WorkItem& item, const std::stop_token& stop) {
  if (!detector_) {
    detector_ = detectors_.detector(item.frame.upright());
    facts_ = detector_->facts();
    tell_tiles(facts_.tiling);
  }
  auto work = std::make_unique<CpuWork>(detector_->acquire(stop));
  DetectionRequest& request = *work->request;
  item.work = std::move(work);
  {
    const ScopedInterval interval(item.record.times[StageId::preprocess]);
    const ScopedCpuTime cpu(item.record.times, StageId::preprocess);
    request.prepare(item.frame);
  }
  request.start();
}

void CpuStages::finish(WorkItem& item) { suppress(collect(item), item.record); }

Detections CpuStages::collect(WorkItem& item) {
  DetectionRequest& request = *static_cast<CpuWork&>(*item.work).request;
  const ScopedCpuTime cpu(item.record.times, StageId::inference);
  Detections candidates = request.collect();
  item.record.times[StageId::inference] = request.inference();
  item.work.reset();
  return candidates;
}

void CpuStages::suppress(const Detections& candidates, FrameRecord& record) {
  const ScopedInterval interval(record.times[StageId::nms]);
  const ScopedCpuTime cpu(record.times, StageId::nms);
  record.candidates = candidates.size();
  const NmsKept kept = suppressor_.run({candidates.boxes, candidates.scores, {}});
  candidates_ignored_ += kept.beyond_capacity;
  record.faces = select_faces(candidates, kept, {options_.min_face, options_.max_face});
  record.face_count = record.faces.size();
}

void CpuStages::draw(WorkItem& item) {
  if (!options_.overlay.any()) return;
  const ScopedInterval interval(item.record.times[StageId::overlay]);
  const ScopedCpuTime cpu(item.record.times, StageId::overlay);
  make_writable(item.frame);
  draw_overlay(item.frame, item.record.faces, options_.overlay);
}

}  // namespace

std::unique_ptr<Stages> make_cpu_stages(const JobOptions& options, DetectorFactory& detectors) {
  return std::make_unique<CpuStages>(options, detectors);
}

void tell_tiles(const std::optional<Tiling>& tiling) {
  if (!tiling) return;
  spdlog::info("detection in {} x {} tiles of {} that overlap by {}, and of all at {}",
               tiling->columns, tiling->rows, to_string(tiling->tile.frame), tiling->overlap,
               to_string(tiling->whole.content));
}

void tell_ignored(std::int64_t ignored, std::uint32_t capacity, JobResult& result,
                  Notices& notices) {
  result.candidates_ignored = ignored;
  if (ignored > 0)
    notices.add(std::to_string(ignored) + " candidates ignored: suppression takes " +
                std::to_string(capacity) + " a frame (a higher --score gives fewer)");
}

}  // namespace facepipe
