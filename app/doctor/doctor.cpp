#include "app/doctor/doctor.h"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <fstream>
#include <optional>
#include <string>

#include "app/backends.h"
#include "app/doctor/cuda.h"
#include "app/doctor/engines.h"
#include "app/doctor/packaged_models.h"
#include "app/failure.h"
#include "app/model_path.h"
#include "app/output/text.h"
#include "app/sandbox/landlock.h"
#include "app/sandbox/sandbox.h"
#include "app/sandbox/seccomp.h"
#include "core/device.h"
#include "core/error.h"
#include "core/machine.h"
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
  print_line(print, "cpu",
             fmt::format("usable: {}, {} cores", processor_name(), usable_processors()));
  std::string why;
  const auto failure = attempt({}, [&] {
    (void)resolve_device({false, {DeviceKind::cuda, 0}}, cuda, why);
  });
  print_line(print, "cuda", failure ? "not usable: " + failure->message : "usable");
}

/// Prints the section about CUDA. If CUDA fails, prints the reason instead of throwing, so that
/// doctor can continue.
void print_cuda_or_failure(const CudaProbe& cuda, const Print& print) {
  const auto failure = attempt({}, [&] { print_cuda(cuda, find_cuda_abilities(), print); });
  if (failure) print("cuda\n  can't be asked: " + failure->message + "\n");
}

void print_sandbox(const Print& print) {
  print("sandbox\n");
  const int landlock = landlock_version();
  print_line(print, "landlock",
             landlock > 0 ? "version " + std::to_string(landlock)
                          : "not usable: the kernel has none, or doesn't allow it");
  print_line(print, "seccomp",
             can_limit_calls() ? "usable" : "not usable: the kernel has none, or doesn't allow it");
  const bool closes = machine_against_sandbox().empty();
  print_line(
      print, "--sandbox",
      closes ? "auto is on, unless a CUDA device may be used" : "auto is off, and on is an error");
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

/// Prints facts about the model. Returns the options with which doctor tries the engines; nullopt
/// if there is no model.
std::optional<detector::DetectorOptions> print_model(const DoctorOptions& options,
                                                     const Print& print) {
  print("model\n");
  detector::DetectorOptions detector = detector::with_one_look({}, 0);
  detector.card = options.card;
  std::unique_ptr<detector::DetectorFactory> detectors;
  const auto failure = attempt({}, [&] {
    detector.model = find_model(options.model, program_directory());
    detectors = detector::make_detector_factory({}, detector);
  });
  if (failure) {
    print_line(print, "not usable", failure->message);
    return std::nullopt;
  }
  print_line(print, "file", detector.model.string());
  print_line(print, "kind", detectors->model_kind());
  std::string classes;
  for (const detector::FoundClass& each : detectors->classes())
    classes += (classes.empty() ? "" : ", ") + each.name;
  if (has_known_classes(detectors->classes())) print_line(print, "finds", classes);
  print_line(print, "sha256", detectors->model_sha256());
  if (!detectors->about().card.empty()) print_line(print, "card", detectors->about().card);
  print_licence_and_choice(*detectors, print);
  return detector;
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
  print_sandbox(print);
  print_codecs(print);
  const std::optional<detector::DetectorOptions> model = print_model(options, print);
  for (const detector::Family* family : detector::families())
    if (family->packaged != nullptr)
      print_packaged_models(family->traits.plural, family->packaged(), print);
  const std::optional<SelfTestResult> on_cpu = print_engines(model, 1, print);
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
