#include "app/doctor.h"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <fstream>
#include <opencv2/core/version.hpp>
#include <optional>
#include <string>
#include <thread>

#include "app/backends.h"
#include "app/model_path.h"
#include "app/outcome.h"
#include "app/self_test.h"
#include "core/device.h"
#include "core/error.h"
#include "detector/detector.h"
#include "pipeline/ffmpeg.h"

namespace facepipe {
namespace {

using Print = std::function<void(std::string_view)>;

constexpr std::array kDecoders{AV_CODEC_ID_H264,  AV_CODEC_ID_HEVC,  AV_CODEC_ID_AV1,
                               AV_CODEC_ID_VP8,   AV_CODEC_ID_VP9,   AV_CODEC_ID_MPEG2VIDEO,
                               AV_CODEC_ID_MPEG4, AV_CODEC_ID_MJPEG, AV_CODEC_ID_PRORES,
                               AV_CODEC_ID_DNXHD, AV_CODEC_ID_FFV1,  AV_CODEC_ID_PNG,
                               AV_CODEC_ID_WEBP};
constexpr std::array kEncoders{"libx264",    "libx265", "libsvtav1",  "libaom-av1", "libvpx",
                               "libvpx-vp9", "mpeg4",   "mpeg2video", "prores_ks",  "dnxhd",
                               "ffv1",       "mjpeg",   "png",        "h264_nvenc", "hevc_nvenc"};
constexpr std::array kEngines{EngineKind::opencv, EngineKind::openvino};
constexpr std::array kPrecisions{Precision::f32, Precision::f16, Precision::bf16};

void print_line(const Print& print, std::string_view what, std::string_view text) {
  print(fmt::format("  {:<14}{}\n", what, text));
}

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
  print_line(print, "OpenCV", CV_VERSION);
  print_line(print, "OpenVINO", FACEPIPE_OPENVINO_VERSION);
  print_line(print, "compiler", FACEPIPE_COMPILER);
}

void print_devices(const Print& print) {
  print("devices\n");
  print_line(
      print, "cpu",
      fmt::format("usable: {}, {} cores", processor_name(), std::thread::hardware_concurrency()));
  std::string why;
  const auto failure = attempt({}, [&] {
    const DeviceRequest first{false, {DeviceKind::cuda, 0}};
    (void)resolve_device(first, probe_cuda(first), why);
  });
  print_line(print, "cuda", failure ? "not usable: " + failure->message : "usable");
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

/// The model's path; nothing where there is none.
std::optional<std::filesystem::path> print_model(const DoctorOptions& options, const Print& print) {
  print("model\n");
  std::filesystem::path path;
  std::unique_ptr<DetectorFactory> detectors;
  const auto failure = attempt({}, [&] {
    path = find_model(options.model, program_directory());
    DetectorOptions detector;
    detector.model = path;
    detectors = make_detector_factory({}, detector);
  });
  if (failure) {
    print_line(print, "not usable", failure->message);
    return std::nullopt;
  }
  print_line(print, "file", path.string());
  print_line(print, "kind", detectors->model_kind());
  print_line(print, "sha256", detectors->model_sha256());
  const EngineChoice& choice = detectors->choice();
  print_line(
      print, "auto",
      fmt::format("{} {}: {}", to_string(choice.engine), to_string(choice.precision), choice.why));
  return path;
}

/// True if the pair works.
bool print_engine(const DetectorOptions& options, const Print& print) {
  SelfTestResult result;
  const auto failure = attempt({}, [&] {
    const EngineChoice choice = choose_engine({}, options);
    if (options.model.empty()) throw Error(ErrorKind::device, "not tried: no model");
    result = self_test(*make_detector_factory({}, options));
  });
  print_line(print, fmt::format("{} {}", to_string(*options.engine), to_string(*options.precision)),
             failure ? "no: " + failure->message
                     : fmt::format("works: {:.1f} ms for {}x{}", result.milliseconds,
                                   result.network_size.width, result.network_size.height));
  return !failure;
}

bool print_engines(const std::optional<std::filesystem::path>& model, const Print& print) {
  print("engines on cpu, tried with one generated frame\n");
  bool any = false;
  for (const EngineKind engine : kEngines)
    for (const Precision precision : kPrecisions) {
      DetectorOptions options;
      if (model) options.model = *model;
      options.engine = engine;
      options.precision = precision;
      options.score_threshold = 0;
      any = print_engine(options, print) || any;
    }
  return any;
}

}  // namespace

int doctor(const DoctorOptions& options, const Print& print) {
  print_build(print);
  print_devices(print);
  print_codecs(print);
  const std::optional<std::filesystem::path> model = print_model(options, print);
  const bool any = print_engines(model, print);
  print(any ? "result\n  facepipe can run here\n" : "result\n  no engine works here\n");
  return any ? kExitDone : exit_code(ErrorKind::device);
}

}  // namespace facepipe
