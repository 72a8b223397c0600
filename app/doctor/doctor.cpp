#include "app/doctor/doctor.h"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "app/backends.h"
#include "app/doctor/cuda.h"
#include "app/doctor/packaged_models.h"
#include "app/doctor/self_test.h"
#include "app/failure.h"
#include "app/model_path.h"
#include "app/output/text.h"
#include "core/device.h"
#include "core/error.h"
#include "detector/cnn/cpu/opencv/opencv_version.h"
#include "detector/detector.h"
#include "detector/families.h"
#include "video/ffmpeg.h"

namespace facepipe::app {
namespace {

constexpr std::array kDecoders{AV_CODEC_ID_H264,  AV_CODEC_ID_HEVC,  AV_CODEC_ID_AV1,
                               AV_CODEC_ID_VP8,   AV_CODEC_ID_VP9,   AV_CODEC_ID_MPEG2VIDEO,
                               AV_CODEC_ID_MPEG4, AV_CODEC_ID_MJPEG, AV_CODEC_ID_PRORES,
                               AV_CODEC_ID_DNXHD, AV_CODEC_ID_FFV1,  AV_CODEC_ID_PNG,
                               AV_CODEC_ID_WEBP};
constexpr std::array kEncoders{"libx264",    "libx265", "libsvtav1",  "libaom-av1", "libvpx",
                               "libvpx-vp9", "mpeg4",   "mpeg2video", "prores_ks",  "dnxhd",
                               "ffv1",       "mjpeg",   "png",        "h264_nvenc", "hevc_nvenc"};
constexpr std::array kPrecisions{detector::Precision::f32, detector::Precision::f16,
                                 detector::Precision::bf16, detector::Precision::i8};

std::string dotted(unsigned version) {
  return fmt::format("{}.{}.{}", AV_VERSION_MAJOR(version), AV_VERSION_MINOR(version),
                     AV_VERSION_MICRO(version));
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

void print_build(const Print& print) {
  print("facepipe " FACEPIPE_VERSION "\nbuild\n");
  print_line(print, "FFmpeg",
             fmt::format("{} (libavcodec {}, libavformat {})", av_version_info(),
                         dotted(avcodec_version()), dotted(avformat_version())));
  print_line(print, "OpenCV", detector::describe_opencv());
  print_line(print, "OpenVINO", FACEPIPE_OPENVINO_VERSION);
  print_line(print, "compiler", FACEPIPE_COMPILER);
}

void print_devices(const CudaProbe& cuda, const Print& print) {
  print("devices\n");
  print_line(
      print, "cpu",
      fmt::format("usable: {}, {} cores", processor_name(), std::thread::hardware_concurrency()));
  std::string why;
  const auto failure = attempt({}, [&] {
    (void)resolve_device({false, {DeviceKind::cuda, 0}}, cuda, why);
  });
  print_line(print, "cuda", failure ? "not usable: " + failure->message : "usable");
}

/// Goes on after a failure: a chip that has failed must not keep the rest from being printed.
void print_cuda_or_failure(const CudaProbe& cuda, const Print& print) {
  const auto failure = attempt({}, [&] { print_cuda(cuda, find_cuda_abilities(), print); });
  if (failure) print("cuda\n  can't be asked: " + failure->message + "\n");
}

void print_codecs(const Print& print) {
  print("decoders\n");
  std::string missing;
  for (const AVCodecID id : kDecoders) {
    const AVCodec* const decoder = avcodec_find_decoder(id);
    if (decoder != nullptr)
      print_line(print, avcodec_get_name(id), decoder->name);
    else
      missing.append(" ").append(avcodec_get_name(id));
  }
  if (!missing.empty()) print_line(print, "missing:", missing.substr(1));
  print("encoders\n");
  std::string present;
  missing.clear();
  for (const char* const name : kEncoders)
    (avcodec_find_encoder_by_name(name) != nullptr ? present : missing).append(" ").append(name);
  if (!present.empty()) print_line(print, "present:", present.substr(1));
  if (!missing.empty()) print_line(print, "missing:", missing.substr(1));
}

/// Returns the model's path; nullopt if there is none.
std::optional<std::filesystem::path> print_model(const DoctorOptions& options, const Print& print) {
  print("model\n");
  std::filesystem::path path;
  std::unique_ptr<detector::DetectorFactory> detectors;
  const auto failure = attempt({}, [&] {
    path = find_model(options.model, program_directory());
    detector::DetectorOptions detector;
    detector.model = path;
    detectors = detector::make_detector_factory({}, detector);
  });
  if (failure) {
    print_line(print, "not usable", failure->message);
    return std::nullopt;
  }
  print_line(print, "file", path.string());
  print_line(print, "kind", detectors->model_kind());
  if (detectors->class_name() != "face") print_line(print, "finds", detectors->class_name());
  print_line(print, "sha256", detectors->model_sha256());
  const detector::EngineChoice& choice = detectors->choice();
  print_line(print, "auto",
             fmt::format("{} {}: {}", choice.name(), to_string(choice.precision), choice.why));
  return path;
}

detector::DetectorOptions trial_options(const std::filesystem::path& model) {
  detector::DetectorOptions options;
  options.model = model;
  options.score_threshold = 0;
  return options;
}

/// Returns the pair's result if it works.
std::optional<SelfTestResult> print_engine(const detector::DetectorOptions& options,
                                           const Print& print) {
  SelfTestResult result;
  const auto failure = attempt({}, [&] {
    const detector::EngineChoice choice = detector::choose_engine({}, options);
    if (options.model.empty()) throw Error(ErrorKind::device, "not tried: no model");
    result = self_test(*detector::make_detector_factory({}, options));
  });
  print_line(
      print,
      fmt::format("{} {}", detector::engine_name(*options.library), to_string(*options.precision)),
      failure ? "no: " + failure->message
              : fmt::format("works: {:.1f} ms for {}x{}", result.milliseconds,
                            result.network_size.width, result.network_size.height));
  if (failure) return std::nullopt;
  return result;
}

/// Returns the result of the first engine that works; f32 comes before other precisions.
std::optional<SelfTestResult> print_engines(const std::optional<std::filesystem::path>& model,
                                            const Print& print) {
  print("engines on cpu, tried with one generated picture\n");
  std::optional<SelfTestResult> first;
  const detector::Family& family = detector::family_of(model.value_or(""));
  for (const detector::NamedEngine& engine : detector::named_engines(DeviceKind::cpu)) {
    if (!family.has(engine.library)) continue;
    for (const detector::Precision precision : kPrecisions) {
      detector::DetectorOptions options = trial_options(model.value_or(""));
      options.library = engine.library;
      options.precision = precision;
      std::optional<SelfTestResult> result = print_engine(options, print);
      if (!first) first = std::move(result);
    }
  }
  return first;
}

/// Compares one engine of a CUDA device with the CPU's result. Returns whether it works.
template <typename Run>
bool try_cuda_engine(const std::string& name, const SelfTestResult& on_cpu, Run run,
                     const Print& print) {
  bool works = false;
  const auto failure = attempt({}, [&] { works = print_cuda_engine(name, run(), on_cpu, print); });
  if (failure) print_line(print, name, "no: " + failure->message);
  return works;
}

/// Tries OpenCV's dnn, if it computes the model.
void try_opencv_on(Device device, const std::filesystem::path& model, const SelfTestResult& on_cpu,
                   const Print& print) {
  if (!detector::family_of(model).has(detector::Library::opencv)) return;
  for (const detector::Precision precision : {detector::Precision::f32, detector::Precision::f16}) {
    detector::DetectorOptions options = trial_options(model);
    options.library = detector::Library::opencv;
    options.precision = precision;
    const std::string name =
        fmt::format("{} {} {}", to_string(device), detector::engine_name(detector::Library::opencv),
                    to_string(precision));
    try_cuda_engine(
        name, on_cpu, [&] { return self_test(*detector::make_detector_factory(device, options)); },
        print);
  }
}

/// Compares each CUDA device with the first engine that works on the CPU with f32. Returns whether
/// our own engine works on one of them.
bool print_cuda_engines(const CudaProbe& cuda, const std::optional<std::filesystem::path>& model,
                        const std::optional<SelfTestResult>& on_cpu, const Print& print) {
  print("engine on cuda, the same picture compared with the cpu's result\n");
  bool any = false;
  for (int index = 0; index < static_cast<int>(cuda.devices.size()); ++index) {
    const Device device{DeviceKind::cuda, index};
    const std::string name = to_string(device) + " f16";
    const auto failure = attempt({}, [&] {
      std::string why;
      (void)resolve_device({false, device}, cuda, why);
      if (!model) throw Error(ErrorKind::device, "not tried: no model");
      if (!on_cpu) throw Error(ErrorKind::device, "not tried: no engine works on the cpu");
      const auto run = [&] { return self_test_on_cuda(device, trial_options(*model)); };
      any = try_cuda_engine(name, *on_cpu, run, print) || any;
      try_opencv_on(device, *model, *on_cpu, print);
    });
    if (failure) print_line(print, name, "no: " + failure->message);
  }
  return any;
}

}  // namespace

void print_line(const Print& print, std::string_view what, std::string_view text) {
  print(fmt::format("  {:<13} {}\n", what, terminal_text(text)));
}

std::span<const char* const> encoders_named() { return kEncoders; }

int doctor(const DoctorOptions& options, const Print& print) {
  print_build(print);
  const CudaProbe cuda = probe_cuda();
  print_devices(cuda, print);
  if (cuda.built) print_cuda_or_failure(cuda, print);
  print_codecs(print);
  const std::optional<std::filesystem::path> model = print_model(options, print);
  for (const detector::Family* family : detector::families())
    if (family->packaged != nullptr)
      print_packaged_models(family->traits.plural, family->packaged(), print);
  const std::optional<SelfTestResult> on_cpu = print_engines(model, print);
  const bool on_cuda = !cuda.devices.empty() && print_cuda_engines(cuda, model, on_cpu, print);
  if (!on_cpu) {
    print("result\n  no engine works here\n");
    return exit_code(ErrorKind::device);
  }
  print(fmt::format("result\n  facepipe can run here on the cpu{}\n",
                    on_cuda ? " and with CUDA" : ""));
  return kExitDone;
}

}  // namespace facepipe::app
