#include "pipeline/cpu/backend.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/error.h"
#include "detector/second_look.h"
#include "detector/turned_faces.h"
#include "nms/cpu/class_suppressor.h"
#include "overlay/overlay.h"
#include "pipeline/cpu/every_nth.h"
#include "pipeline/face_tracks.h"
#include "pipeline/faces.h"
#include "pipeline/hide/hiding.h"
#include "pipeline/searched_classes.h"
#include "track/cpu/motion.h"
#include "video/frames/pictures.h"
#include "video/read/cpu_decoder.h"

namespace facepipe::pipeline {
namespace {

/// The detection requests of a frame.
struct CpuWork final : FrameWork {
  std::unique_ptr<detector::DetectionRequest> request;
  /// The request for the turned picture; nullptr if `request` can search it, too.
  std::unique_ptr<detector::DetectionRequest> turned;
};

/// Returns frames without a copy, because the CPU's decoders don't need the frames' memory again.
class CpuKeeper final : public PictureKeeper {
 public:
  [[nodiscard]] Frame kept(Frame frame) override { return frame; }
  void wait() override {}
};

class CpuHidingPixels final : public HidingPixels {
 public:
  explicit CpuHidingPixels(const overlay::HideOptions& look) : look_(look), hider_(look) {}

  void hide(Frame& frame, std::span<const Box> faces) override {
    video::make_writable(frame);
    hider_.hide(frame, faces);
  }
  void hide_all(Frame& frame) override {
    video::make_writable(frame);
    facepipe::overlay::hide_all(frame, look_.color);
  }

 private:
  const overlay::HideOptions look_;
  overlay::FaceHider hider_;
};

class CpuSecondLooker final : public SecondLooker {
 public:
  explicit CpuSecondLooker(std::unique_ptr<detector::SecondLook> look) : look_(std::move(look)) {}

  [[nodiscard]] std::vector<float> scores_of(const Frame& frame,
                                             std::span<const Box> faces) override {
    return look_->scores_of(frame, faces, {});
  }

 private:
  std::unique_ptr<detector::SecondLook> look_;
};

class CpuHidingDevice final : public HidingDevice {
 public:
  /// @param detectors  null if tracks are known; outlives this object
  explicit CpuHidingDevice(detector::DetectorFactory* detectors) : detectors_(detectors) {}

  [[nodiscard]] std::shared_ptr<SecondLooker> make_second_looker() override {
    if (detectors_ == nullptr) return nullptr;
    std::unique_ptr<detector::SecondLook> look = detector::SecondLook::make(*detectors_);
    return look ? std::make_shared<CpuSecondLooker>(std::move(look)) : nullptr;
  }
  [[nodiscard]] std::unique_ptr<PictureKeeper> make_keeper() override {
    return std::make_unique<CpuKeeper>();
  }
  [[nodiscard]] std::unique_ptr<HidingPixels> make_pixels(
      const overlay::HideOptions& look) override {
    return std::make_unique<CpuHidingPixels>(look);
  }
  [[nodiscard]] std::unique_ptr<track::MotionEstimator> make_lane_motion() override {
    return std::make_unique<track::CpuMotionEstimator>();
  }
  [[nodiscard]] std::unique_ptr<track::MotionEstimator> make_motion(HidingStep /*step*/) override {
    return std::make_unique<track::CpuMotionEstimator>();
  }

 private:
  detector::DetectorFactory* const detectors_;
};

// A cascade's windows can extend beyond the picture's edge by a pixel or two.
Detections clipped(Detections faces, Size picture) {
  for (Box& box : faces.boxes) box = facepipe::clipped(box, picture);
  return faces;
}

/// Follows drawn faces from frame to frame: finds their tracks and, if not all frames are searched,
/// their boxes in the other frames. One thread calls find(), and one thread calls pass_on() and
/// pass_on_rest().
class DrawnTracking {
 public:
  /// @param options  must outlive this object
  explicit DrawnTracking(const JobOptions& options)
      : least_(options.follow ? options.follow->suggest_score : kWeakFace),
        scales_(options.search.scales),
        sizes_{options.search.min_face, options.search.max_face},
        suppressor_(options.search.followed_nms, nms::nms_capacity(options.search.followed_nms),
                    followed_overlaps_of(options.search)) {
    if (options.follow)
      tracks_.emplace(*options.follow, scales_, std::make_unique<track::CpuMotionEstimator>());
    if (options.search.every > 1) between_.emplace(options);
  }

  /// Selects the detections that tracks need. Their scores may be lower than the scores of drawn
  /// faces.
  [[nodiscard]] Detections find(const Detections& candidates, Size picture) {
    const Detections usable = scored_over(candidates, least_, scales_);
    return clipped(select_faces(usable, suppressor_.run(usable), sizes_), picture);
  }

  void pass_on(WorkItem item, const FrameProcessor::Sink& sink) {
    FaceTracks::Assignment tracks;
    if (tracks_) {
      const ScopedInterval interval(item.record.times[StageId::overlay]);
      const ScopedCpuTime cpu(item.record.times, StageId::overlay);
      tracks = tracks_->assign(item.frame, item.record, item.to_follow, item.picture);
      item.record.face_tracks = std::move(tracks.faces);
    }
    if (between_)
      between_->push(std::move(item), std::move(tracks.found), sink);
    else
      sink(std::move(item));
  }
  void pass_on_rest(const FrameProcessor::Sink& sink) {
    if (between_) between_->flush(sink);
  }

 private:
  const float least_;  // on the usual scale
  const ScoreScales& scales_;
  const FaceSizes sizes_;
  nms::ClassSuppressor suppressor_;
  std::optional<FaceTracks> tracks_;
  std::optional<FramesBetween> between_;
};

/// Its eight members are the detectors, and the objects that work before and after them.
class CpuProcessor final : public FrameProcessor {
 public:
  /// @param detector  nullptr if the job looks for no faces
  /// @param turned    the detector for pictures turned by HideJob::turned_too; nullptr if no
  ///                  turned pictures are searched
  CpuProcessor(const ProcessorSetup& setup, std::shared_ptr<detector::Detector> detector,
               std::shared_ptr<detector::Detector> turned)
      : options_(setup.options),
        detector_(std::move(detector)),
        turned_detector_(std::move(turned)),
        suppressor_(options_.search.nms, nms::nms_capacity(options_.search.nms),
                    overlaps_of(options_.search)),
        copies_(setup.copies) {
    if (!detector_) return;
    if (!options_.hide && (options_.follow || options_.search.every > 1))
      tracking_.emplace(options_);
    if (options_.search.every > 1) every_.emplace(options_.search.every);
    log_tiles(detector_->facts().tiling);
  }

  void start(WorkItem& item, const std::stop_token& stop) override {
    if (!detector_) return;
    if (every_) every_->choose(item);
    if (!item.record.searched) return;
    auto work = std::make_unique<CpuWork>();
    take_requests(*work, stop);
    detector::DetectionRequest& request = *work->request;
    item.work = std::move(work);
    {
      const ScopedInterval interval(item.record.times[StageId::preprocess]);
      const ScopedCpuTime cpu(item.record.times, StageId::preprocess);
      request.prepare(item.frame);
    }
    request.start();
  }

  void finish(WorkItem& item) override {
    if (!detector_ || !item.record.searched) return;
    const Detections candidates = collect(item);
    const ScopedInterval interval(item.record.times[StageId::nms]);
    const ScopedCpuTime cpu(item.record.times, StageId::nms);
    if (tracking_) {
      item.to_follow = tracking_->find(candidates, item.frame.upright());
      suppress(scored_as_faces(candidates, options_.search), item.record);
    } else if (!options_.hide && !options_.search.classes.empty()) {
      suppress(scored_as_faces(candidates, options_.search), item.record);
    } else {
      suppress(candidates, item.record);
    }
  }

  [[nodiscard]] bool draws_without_video() const override { return tracking_.has_value(); }

  void pass_on(WorkItem item, const Sink& sink) override {
    if (tracking_)
      tracking_->pass_on(std::move(item), sink);
    else
      sink(std::move(item));
  }
  void pass_on_rest(const Sink& sink) override {
    if (tracking_) tracking_->pass_on_rest(sink);
  }

  void draw(WorkItem& item) override {
    if (options_.output.path.empty() || !options_.overlay.any()) return;
    const ScopedInterval interval(item.record.times[StageId::overlay]);
    const ScopedCpuTime cpu(item.record.times, StageId::overlay);
    video::make_writable(item.frame);
    overlay::draw_overlay(item.frame, item.record.faces, options_.overlay, item.record.face_tracks);
  }

  [[nodiscard]] std::int64_t candidates_ignored() const override { return candidates_ignored_; }

  [[nodiscard]] std::optional<DetectionFacts> detection() const override {
    if (!detector_) return std::nullopt;
    return DetectionFacts{detector_->facts(), suppressor_.capacity()};
  }

 private:
  [[nodiscard]] Detections collect(WorkItem& item) const {
    const CpuWork& work = static_cast<CpuWork&>(*item.work);
    detector::DetectionRequest& request = *work.request;
    const ScopedCpuTime cpu(item.record.times, StageId::inference);
    Detections candidates = request.collect();
    request.count_copies(copies_);
    Interval& inference = item.record.times[StageId::inference];
    inference = request.inference();
    if (turned_detector_) {
      candidates.landmarks.clear();  // they aren't needed, because the faces are hidden
      search_turned(work.turned ? *work.turned : request, item.frame, candidates, inference);
    }
    item.work.reset();
    return candidates;
  }

  /// Takes all requests that the frame needs, because finish() must not wait for a request: later
  /// frames may hold all requests. Two jobs can share both detectors, with the roles exchanged (one
  /// job's turned pictures have the size of the other job's pictures). To avoid a deadlock, all
  /// jobs take the detectors' requests in the same order.
  void take_requests(CpuWork& work, const std::stop_token& stop) const {
    const bool has_two = turned_detector_ && turned_detector_ != detector_;
    const bool turned_first = has_two && std::less<>()(turned_detector_.get(), detector_.get());
    if (turned_first) work.turned = turned_detector_->acquire(stop);
    work.request = detector_->acquire(stop);
    if (has_two && !turned_first) work.turned = turned_detector_->acquire(stop);
  }

  /// Searches the turned picture of a frame whose upright picture was searched before. Extends
  /// `inference` to the end of this search.
  void search_turned(detector::DetectionRequest& request, const Frame& frame,
                     Detections& candidates, Interval& inference) const {
    const int turns = options_.hide->turned_too;
    request.prepare(detector::turned_view(frame, turns));
    request.start();
    const Detections found = request.collect();
    request.count_copies(copies_);
    inference.end = request.inference().end;
    detector::append_turned_back(candidates, found, turns, frame.upright());
  }

  void suppress(const Detections& candidates, FrameRecord& record) {
    record.candidates = candidates.size();
    const nms::NmsKept kept = suppressor_.run(candidates);
    candidates_ignored_ += kept.beyond_capacity;
    if (options_.hide) refuse_ignored(kept.beyond_capacity);
    record.faces = clipped(
        select_faces(candidates, kept, {options_.search.min_face, options_.search.max_face}),
        record.size);
    record.face_count = record.faces.size();
  }

  const JobOptions& options_;
  std::shared_ptr<detector::Detector> detector_;
  std::shared_ptr<detector::Detector> turned_detector_;
  nms::ClassSuppressor suppressor_;
  CopyCounter& copies_;            // counts the copies of an engine that works on a device
  std::optional<EveryNth> every_;  // used only by start()
  std::optional<DrawnTracking> tracking_;
  std::int64_t candidates_ignored_ = 0;
};

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(std::unique_ptr<detector::DetectorFactory> detectors)
      : detectors_(std::move(detectors)) {}

  [[nodiscard]] std::unique_ptr<video::Decoder> make_decoder(const video::Demuxer& demuxer,
                                                             const video::DecoderOptions& options,
                                                             video::DecoderChoice /*choice*/,
                                                             video::Notices& notices,
                                                             CopyCounter& /*copies*/) override {
    return video::make_cpu_decoder(demuxer, options, notices);
  }
  [[nodiscard]] int frames_held_by_codecs() const override { return 0; }
  // There is one decoder, because FFmpeg's threads already use all cores for it.
  [[nodiscard]] int decoders(const AVCodecParameters& /*video*/,
                             const video::Decoder& /*like*/) const override {
    return 1;
  }
  void check_encoder(const AVCodec& codec) const override {
    if (video::is_nvenc(codec))
      throw Error(ErrorKind::usage,
                  std::string("--codec ") + codec.name + ": the device is the cpu");
  }
  [[nodiscard]] video::EncoderPlan plan_encoder(const AVCodec& codec,
                                                const video::PictureFacts& pictures, Size encoded,
                                                const JobOptions& options,
                                                video::Notices& notices) const override {
    return facepipe::video::plan_encoder(codec, pictures.format, encoded,
                                         options.output.path.string(), notices);
  }
  [[nodiscard]] std::unique_ptr<video::Encoder> make_encoder(const video::EncoderSetup& setup,
                                                             const Frame& first,
                                                             video::Notices& notices,
                                                             CopyCounter& /*copies*/) override {
    return video::make_cpu_encoder(setup, first, notices);
  }
  [[nodiscard]] std::unique_ptr<FrameProcessor> make_processor(
      const ProcessorSetup& setup) override {
    if (!looks_for_faces(setup.options))
      return std::make_unique<CpuProcessor>(setup, nullptr, nullptr);
    const std::scoped_lock lock(mutex_);
    const int turns = setup.options.hide ? setup.options.hide->turned_too : 0;
    std::shared_ptr<detector::Detector> turned;
    if (turns > 0)
      turned = detectors().detector(detector::turned_view(setup.first, turns).upright());
    return std::make_unique<CpuProcessor>(setup, detectors().detector(setup.first.upright()),
                                          std::move(turned));
  }
  [[nodiscard]] std::unique_ptr<HidingDevice> make_hiding_device(
      const ProcessorSetup& setup) override {
    const bool searches = setup.options.hide && !setup.options.hide->known;
    return std::make_unique<CpuHidingDevice>(searches ? detectors_.get() : nullptr);
  }
  [[nodiscard]] const detector::ModelInfo& model_info() const override { return detectors(); }

 private:
  [[nodiscard]] detector::DetectorFactory& detectors() const {
    if (!detectors_) throw Error(ErrorKind::internal, "no detector was loaded");
    return *detectors_;
  }

  std::mutex mutex_;  // guards detectors_
  std::unique_ptr<detector::DetectorFactory> detectors_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(std::unique_ptr<detector::DetectorFactory> detectors) {
  return std::make_unique<CpuBackend>(std::move(detectors));
}

}  // namespace facepipe::pipeline
