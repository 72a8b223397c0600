#include "pipeline/cuda/backend.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cuda/check.h"
#include "core/cuda/devices.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "core/error.h"
#include "detector/cuda_detector.h"
#include "detector/cuda_looks_detector.h"
#include "nms/nms.h"
#include "overlay/cuda/hide.h"
#include "pipeline/cpu/backend.h"
#include "pipeline/cuda/hiding_device.h"
#include "pipeline/cuda/host_frames.h"
#include "pipeline/cuda/kept_graphs.h"
#include "pipeline/cuda/processor.h"
#include "pipeline/job_options.h"
#include "pipeline/searched_classes.h"
#include "video/cuda/decoder.h"
#include "video/cuda/encoder.h"
#include "video/cuda/encoder_plan.h"
#include "video/cuda/hardware_device.h"
#include "video/cuda/kept_decoders.h"
#include "video/cuda/nvdec.h"
#include "video/cuda/nvenc.h"
#include "video/cuda/transfer.h"

namespace facepipe::pipeline {
namespace {

// Number of frames, of all lanes together, that the chip works on at the same time. Threads sleep
// while they wait for the chip, so more than two frames are needed to keep the chip busy (H100:
// 3,025 frames of 1080p a second with 2, 3,667 with 4).
constexpr int kPlacesOfLanes = 4;

FaceDownload fields_of(const JobOptions& options) {
  if (options.hide) return FaceDownload::places;
  if (options.wants_faces || (follows(options) && style_of(options).landmarks))
    return FaceDownload::all;
  return follows(options) ? FaceDownload::places : FaceDownload::none;
}

FollowScores following_of(const JobOptions& options) {
  const SearchOptions& search = options.search;
  return {search.scales.of(0).own(options.follow->suggest_score), search.face_score.value_or(0),
          search.followed_nms};
}

/// Returns `values`; if it is empty, `otherwise` for each class.
std::vector<float> each_or(std::vector<float> values, std::size_t classes, float otherwise) {
  if (values.empty()) values.assign(classes, otherwise);
  return values;
}

/// Returns the scores of detections that are followed, as FollowScores::followed.
std::vector<float> followed_scores_of(const JobOptions& options, std::size_t classes) {
  std::vector<float> scores;
  for (std::size_t i = 0; i < classes; ++i)
    scores.push_back(
        options.search.scales.of(static_cast<std::uint16_t>(i)).own(options.follow->suggest_score));
  return scores;
}

/// Returns the rules by which the CPU's backend selects the candidates of `classes` classes.
ClassRules class_rules_of(const JobOptions& options, std::size_t classes) {
  if (classes < 2) return {};
  const SearchOptions& search = options.search;
  ClassRules rules;
  rules.overlaps = each_or(overlaps_of(search), classes, search.nms.threshold);
  const bool follows_faces = follows(options);
  if (!options.hide && (follows_faces || !search.classes.empty()))
    rules.face_scores = each_or(face_scores_of(search), classes, search.face_score.value_or(0));
  if (!follows_faces) return rules;
  rules.followed_overlaps =
      each_or(followed_overlaps_of(search), classes, search.followed_nms.threshold);
  rules.followed_scores = followed_scores_of(options, classes);
  return rules;
}

/// Returns the bytes that are free on CUDA's current device.
std::int64_t free_device_memory() {
  std::size_t free = 0;
  std::size_t all = 0;
  FACEPIPE_CUDA_CHECK(cudaMemGetInfo(&free, &all));
  return static_cast<std::int64_t>(free);
}

/// Returns how many decoders fit into half of the free memory. Each decoder has up to 2 x 32
/// surfaces of 4:2:0, with up to two bytes a sample.
int decoders_in_memory(const AVCodecParameters& video) {
  constexpr std::int64_t kSurfaces = 2 * 32;
  const std::int64_t surface = std::int64_t{video.width} * video.height * 3;
  return static_cast<int>(
      std::min<std::int64_t>(free_device_memory() / 2 / (kSurfaces * surface), 64));
}

/// Captures a kernel that hides faces. Throws if the build has no code for the chip.
void try_hiding(Device device) {
  Frame frame;
  frame.format = {true, 1, 1, 8, 0, true};  // NV12
  frame.size = {64, 64};
  frame.device = device;
  const cuda::Stream stream;
  static_cast<void>(cuda::capture(stream, [&] { overlay::enqueue_hide_all(frame, {}, stream); }));
}

class CudaBackend final : public Backend {
 public:
  /// @param requests  the number of frames that one lane searches at the same time
  CudaBackend(Device device, std::unique_ptr<detector::CudaDetectorFactory> detectors, int requests)
      : device_(device), requests_(requests), detectors_(std::move(detectors)) {
    // Makes nvJPEG and NVDEC sleep while they wait for the device, because lanes need the cores.
    cuda::use_device(device);
    FACEPIPE_CUDA_CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  }

  [[nodiscard]] std::unique_ptr<video::Decoder> make_decoder(const video::Demuxer& demuxer,
                                                             const video::DecoderOptions& options,
                                                             video::DecoderChoice choice,
                                                             video::Notices& notices,
                                                             CopyCounter& copies) override {
    if (decodes_on_cpu(choice, demuxer))
      return video::make_uploading_decoder(demuxer, options, device_, upload_memory_, notices,
                                           copies);
    return video::make_nvdec_decoder(demuxer, options, device_, notices, kept_decoders_);
  }

  [[nodiscard]] Device device() const override { return device_; }
  void enter_thread() const override { cuda::use_device(device_); }

  // The number of NVDEC's engines for H.264, because most videos are H.264.
  [[nodiscard]] int inputs_at_once() const override {
    cuda::use_device(device_);
    try {
      return std::max(1, video::nvdec_engines("h264"));
    } catch (const Error& error) {
      spdlog::debug("the run works on one input at a time: {}", error.what());
      return 1;
    }
  }

  [[nodiscard]] std::int64_t free_memory() const override {
    cuda::use_device(device_);
    return free_device_memory();
  }

  [[nodiscard]] int frames_held_by_codecs() const override { return video::kDownloading; }

  [[nodiscard]] int decoders(const AVCodecParameters& video,
                             const video::Decoder& like) const override {
    if (!like.may_refuse()) return 1;  // `like` decodes on all cores of the CPU
    cuda::use_device(device_);
    const int engines = video::nvdec_engines(avcodec_get_name(video.codec_id));
    return std::clamp(engines, 1, std::max(1, decoders_in_memory(video)));
  }

  void check_encoder(const AVCodec& codec) const override {
    if (!video::is_nvenc(codec)) return;
    cuda::use_device(device_);
    video::NvencTask least;
    least.encoder = codec.name;
    const std::string reason = probe_nvenc(least);
    if (!reason.empty())
      throw Error(ErrorKind::device, "--codec " + least.encoder + ": " + to_string(device_) +
                                         " can't run this encoder: " + reason);
  }

  [[nodiscard]] video::EncoderPlan plan_encoder(const AVCodec& codec,
                                                const video::PictureFacts& pictures, Size encoded,
                                                const JobOptions& options,
                                                video::Notices& notices) const override {
    cuda::use_device(device_);
    return video::plan_cuda_encoder(
        codec, pictures, encoded, options.output.encoder, options.output.path.string(),
        [this](const video::NvencTask& task) { return probe_nvenc(task); }, notices);
  }

  [[nodiscard]] std::unique_ptr<video::Encoder> make_encoder(const video::EncoderSetup& setup,
                                                             const Frame& first,
                                                             video::Notices& notices,
                                                             CopyCounter& copies) override {
    cuda::use_device(device_);
    if (setup.plan.codec->id == AV_CODEC_ID_MJPEG) {
      // More pictures at the same time gain nothing, because nvJPEG's calls wait in the library.
      constexpr int kAtOnce = 1;
      return video::make_jpeg_encoder(setup, first, *nvjpeg(), kAtOnce, notices, copies);
    }
    if (video::is_nvenc(*setup.plan.codec))
      return video::make_nvenc_encoder(setup, first, device_, notices, copies);
    notices.add(std::string("pictures are copied to the host for ") + setup.plan.codec->name +
                ", which encodes on the CPU");
    return video::make_downloading_encoder(setup, first, notices, copies);
  }

  [[nodiscard]] std::unique_ptr<FrameProcessor> make_processor(
      const ProcessorSetup& setup) override {
    const Frame& first = setup.first;
    const JobOptions& options = setup.options;
    cuda::use_device(device_);
    if (!looks_for_faces(options)) return make_cuda_processor(setup, device_, nullptr);
    GraphKey key;
    key.layout = {first.size, first.format, first.orientation};
    key.style = follows(options) ? overlay::kNoOverlay : style_of(options);
    key.nms = options.search.nms;
    key.classes = class_rules_of(options, model_info().classes().size());
    key.sizes = {options.search.min_face, options.search.max_face};
    key.to_host = fields_of(options);
    if (follows(options)) key.follow = following_of(options);
    if (options.hide) key.turned_too = options.hide->turned_too;
    key.times_stages = options.wants_stage_times;
    // Trials would take longer than the one picture.
    key.tuning = setup.still_image ? detector::Tuning::none : detector::Tuning::trials;
    key.places = setup.several_lanes ? std::max(requests_, kPlacesOfLanes) : requests_;
    key.wait = wait_of(setup);
    return make_cuda_processor(setup, device_, graphs_of(key));
  }

  [[nodiscard]] std::unique_ptr<HidingDevice> make_hiding_device(
      const ProcessorSetup& setup) override {
    const bool follows = setup.options.hide && !setup.options.hide->known;
    return make_cuda_hiding_device(setup, device_, follows ? detectors_.get() : nullptr);
  }

  [[nodiscard]] const detector::ModelInfo& model_info() const override { return detectors(); }

 private:
  [[nodiscard]] detector::CudaDetectorFactory& detectors() const {
    if (!detectors_) throw Error(ErrorKind::internal, "no detector was loaded");
    return *detectors_;
  }

  [[nodiscard]] std::string probe_nvenc(const video::NvencTask& task) const {
    const video::UniqueAVBuffer hardware =
        video::open_hardware_device(device_, std::make_shared<cuda::Stream>());
    return video::reason_against_nvenc(task, *hardware);
  }

  [[nodiscard]] std::shared_ptr<GraphSet> graphs_of(const GraphKey& key) {
    const std::scoped_lock lock(mutex_);
    return graphs_.get(key, [&] { return make_graphs(key); });
  }

  [[nodiscard]] std::shared_ptr<video::NvjpegLibrary> nvjpeg() {
    const std::scoped_lock lock(mutex_);
    if (!nvjpeg_) nvjpeg_ = video::open_nvjpeg();
    return nvjpeg_;
  }

  [[nodiscard]] std::shared_ptr<const detector::CudaDetector> detector_of(
      const GraphKey& key) const {
    const std::uint32_t of_faces = nms::nms_capacity(key.nms);
    const std::uint32_t capacity =
        key.follow ? std::max(of_faces, nms::nms_capacity(key.follow->nms)) : of_faces;
    return detector::make_cuda_turned_too(
        key.turned_too, key.layout, [&](const StreamLayout& layout) {
          return detectors().detector(layout, capacity, key.tuning);
        });
  }

  [[nodiscard]] std::shared_ptr<GraphSet> make_graphs(const GraphKey& key) const {
    FrameGraphSetup setup;
    setup.detector = detector_of(key);
    setup.overlay = {key.layout.stored, key.layout.format, key.layout.orientation, key.style};
    setup.nms = key.nms;
    setup.classes = key.classes;
    setup.sizes = key.sizes;
    setup.to_host = key.to_host;
    setup.follow = key.follow;
    setup.times_stages = key.times_stages;
    setup.wait = key.wait;
    auto set = std::make_shared<GraphSet>();
    set->detector = setup.detector;
    set->places = PermitPool(key.places);
    for (int i = 0; i < key.places; ++i) set->graphs.push_back(std::make_unique<FrameGraph>(setup));
    return set;
  }

  Device device_;
  int requests_;
  std::mutex mutex_;  // guards detectors_, graphs_ and nvjpeg_
  std::unique_ptr<detector::CudaDetectorFactory> detectors_;
  KeptGraphs graphs_;
  std::shared_ptr<video::NvjpegLibrary> nvjpeg_;  // nullptr until a job needs it
  const std::shared_ptr<video::UploadMemory> upload_memory_ =
      std::make_shared<video::UploadMemory>();
  const std::shared_ptr<video::KeptDecoders> kept_decoders_ =
      std::make_shared<video::KeptDecoders>();
};

}  // namespace

bool decodes_on_cpu(video::DecoderChoice choice, const video::Demuxer& demuxer) {
  return choice == video::DecoderChoice::cpu ||
         (choice == video::DecoderChoice::automatic && demuxer.is_still_image());
}

std::unique_ptr<Backend> make_cuda_backend(Device device,
                                           const detector::DetectorOptions& options) {
  const cuda::ContextStart start(device);  // beside the reading of the model
  if (options.library && detector::works_in_host_memory(device.kind, *options.library)) {
    cuda::use_device(device);
    return make_host_frames_backend(
        device, make_cpu_backend(detector::make_detector_factory(device, options)));
  }
  auto detectors = detector::make_cuda_detector_factory(device, options);
  return std::make_unique<CudaBackend>(device, std::move(detectors), options.requests);
}

std::unique_ptr<Backend> make_cuda_renderer(Device device) {
  cuda::use_device(device);
  try_hiding(device);
  constexpr int kNoRequests = 0;
  return std::make_unique<CudaBackend>(device, nullptr, kNoRequests);
}

}  // namespace facepipe::pipeline
