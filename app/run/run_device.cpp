#include "app/run/run_device.h"

#include <spdlog/spdlog.h>

#include <utility>
#include <vector>

#include "app/model_path.h"
#include "app/output/model_licence.h"
#include "app/process_setup.h"
#include "app/run/card_defaults.h"
#include "core/error.h"
#include "detector/families.h"

namespace facepipe::app {
namespace {

/// Returns the name of an option that works only on the CPU so far; empty if no such option is set.
std::string only_on_cpu(const RunOptions& options) {
  return options.job.search.every > 1 ? "--every" : "";
}

/// Throws Error(usage) if the user wants the device to look for motion, but the device can't.
/// @param looks  true if the run looks for faces
void check_motion(const DeviceChoice& choice, bool looks) {
  const DeviceKind kind = choice.devices.front().kind;
  if (kind == DeviceKind::cpu)
    throw Error(ErrorKind::usage, "--motion device: the device is the cpu");
  if (!looks) return;
  const detector::EngineChoice& engine = choice.backend->model_info().choice();
  if (detector::works_in_host_memory(kind, engine.library))
    throw Error(ErrorKind::usage, "--motion device: engine " + std::string(engine.name()) +
                                      " keeps pictures in host memory");
}

/// Throws Error(usage) if options depend on scores. Must be called only for a detector that groups
/// windows, because such groups have no scores.
/// @param detector  DetectorTraits::name
void check_options_of_scores(const RunOptions& options, const std::string& detector,
                             const detector::ModelAbout& about) {
  const float score = face_score_of(options.job.search, options.detector, about);
  if (score != detector::DetectorOptions{}.score_threshold && !options.job.hide)
    throw Error(ErrorKind::usage,
                "--score has no effect on the groups of " + detector + ": --nms-neighbours has");
  if (options.job.search.face_score)
    throw Error(ErrorKind::usage, std::string(options.job.follow ? "--draw ids" : "--every") +
                                      " and --nms-rule opencv-groups exclude each other with " +
                                      detector);
}

/// Throws Error(usage) if the options require scores that the model doesn't give. Logs a warning if
/// the run hides faces, but the detector misses many faces.
void check_model(const RunOptions& options, const detector::ModelInfo& model_info) {
  const detector::DetectorTraits& traits = detector::family_of(model_info.choice().library).traits;
  if (options.job.hide && traits.misses_many_faces)
    spdlog::warn("{} far fewer faces than the default model: those that {} stay visible",
                 std::string(traits.name) + (traits.is_plural() ? " find" : " finds"),
                 traits.is_plural() ? "they miss" : "it misses");
  if (traits.takes.every_window && options.job.search.nms.rule == nms::NmsRule::groups)
    check_options_of_scores(options, std::string(traits.name), model_info.about());
}

}  // namespace

RunDevice::RunDevice(const RunContext& context) : options_(context.options), parts_(context.parts) {
  // Nothing may be left to do for a run that skips what exists.
  if (parts_.start_devices && only_on_cpu(options_).empty() &&
      options_.existing != ExistingOutput::skip)
    started_ = parts_.start_devices(options_.device, options_.devices);
}

RunDevice::~RunDevice() {
  if (!parts_.process_ends || !backend_ || backend_->device().kind == DeviceKind::cpu) return;
  // A static pointer, so that tools that look for leaks find the object.
  [[maybe_unused]] static const pipeline::Backend* left_to_the_system = nullptr;
  left_to_the_system = backend_.release();
  skip_static_destructors();
}

pipeline::Backend& RunDevice::ready() {
  if (!backend_) load();
  return *backend_;
}

/// Returns the device that the user asked for. If an option works only on the CPU, returns the CPU;
/// if the user left the choice open, sets `why` to the reason. Throws Error(usage) if an option
/// works only on the CPU, but the user named a CUDA device.
DeviceRequest RunDevice::wanted_device(std::string& why) const {
  const std::string cpu_only = only_on_cpu(options_);
  if (cpu_only.empty()) return options_.device;
  const bool cuda_named = options_.devices || (!options_.device.automatic &&
                                               options_.device.device.kind == DeviceKind::cuda);
  if (cuda_named) throw Error(ErrorKind::usage, cpu_only + " works only on the CPU so far");
  if (options_.device.automatic) why = "cpu: " + cpu_only + " works only on the CPU so far";
  return {false, Device{}};
}

std::unique_ptr<pipeline::Backend> RunDevice::make(
    const Device& device, const detector::DetectorOptions& detector) const {
  if (device.kind == DeviceKind::cpu && options_.job.input.decoder == video::DecoderChoice::nvdec)
    throw Error(ErrorKind::usage, "--decoder cuda: the device is the cpu");
  return looks_for_faces() ? parts_.backend(device, detector) : parts_.renderer(device);
}

void RunDevice::load() {
  detector::DetectorOptions detector = options_.detector;
  if (looks_for_faces()) find_models(detector, program_directory());
  std::string why;
  const DeviceRequest request = wanted_device(why);
  const bool cpu_named = !request.automatic && request.device.kind == DeviceKind::cpu;
  const CudaProbe cuda = cpu_named ? CudaProbe{} : parts_.probe_cuda();
  const auto make_one = [this](const Device& device, const detector::DetectorOptions& wanted) {
    return make(device, wanted);
  };
  DeviceChoice choice = options_.devices
                            ? choose_devices(*options_.devices, cuda, detector, make_one)
                            : choose_device(request, cuda, detector, make_one);
  if (!why.empty()) choice.why = why;
  if (options_.motion_on_device) check_motion(choice, looks_for_faces());
  facts_ = {choice.devices, choice.why, {}, {}, {}};
  if (looks_for_faces()) take_model_facts(choice.backend->model_info(), detector);
  backend_ = std::move(choice.backend);
}

void RunDevice::take_model_facts(const detector::ModelInfo& model_info,
                                 const detector::DetectorOptions& detector) {
  facts_->model_info = model_info;
  facts_->model = model_info.about().file.empty() ? detector.model : model_info.about().file;
  if (options_.job.overlay.landmarks && !model_info.finds_landmarks())
    throw Error(ErrorKind::usage,
                "--draw landmarks: model " + facts_->model.string() + " finds none");
  const std::vector<detector::ModelInfo> models = facts_->models();
  for (const detector::ModelInfo& model : models) check_model(options_, model);
  warn_of_unused_models(detector, models);
  warn_of_licences(models, facts_->model);
}

void RunDevice::take_known_classes(const std::vector<track::TrackClass>& classes) {
  facts_->known_classes.clear();
  for (const track::TrackClass& each : classes)
    facts_->known_classes.push_back({each.name, each.model, {}, {}, {}});
}

}  // namespace facepipe::app
