#include "app/model_check/model_check.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/backends.h"
#include "app/doctor/engines.h"
#include "app/failure.h"
#include "app/model_check/images.h"
#include "app/model_check/network.h"
#include "app/model_check/picture.h"
#include "app/output/existing_target.h"
#include "app/run/named_files.h"
#include "app/standard_streams.h"
#include "core/error.h"
#include "core/files/output_file.h"
#include "detector/detector.h"
#include "detector/families.h"

namespace facepipe::app {
namespace {

constexpr int kTimed = 5;

/// Prints the facts that are known about a model of any family.
void print_model(const detector::DetectorFactory& detectors, const std::filesystem::path& file,
                 const Print& print) {
  print("model\n");
  print_line(print, "file", file.string());
  print_line(print, "sha256", detectors.model_sha256());
  print_line(print, "kind", detectors.model_kind());
  print_licence_and_choice(detectors, print);
}

/// Tries all engines and prints the results. Returns whether an engine of the CPU works.
bool print_all_engines(const detector::DetectorOptions& detector, const ModelCheckOptions& options,
                       const Print& print) {
  detector::DetectorOptions trial = detector::with_one_look(detector, 0);
  trial.detect_size.reset();
  if (detector::family_of(trial.model).traits.takes.detect_size)
    trial.detect_size = options.timed_size;
  const std::optional<SelfTestResult> on_cpu = print_engines(trial, kTimed, print);
  const CudaProbe cuda = probe_cuda();
  if (!cuda.built)
    print("engine on cuda\n  this build has none\n");
  else if (cuda.devices.empty())
    print("engine on cuda\n  not tried, because there is no device\n");
  else
    print_cuda_engines(cuda, trial, on_cpu, print);
  return on_cpu.has_value();
}

void write_card(OutputFile* file, const std::string& card) {
  if (file == nullptr) return app::print(card);
  file->write_text(card);
  file->commit();
}

/// Returns the file for the draft; nullptr if there is no draft or if it goes to standard output.
std::unique_ptr<OutputFile> open_card(const ModelCheckOptions& options,
                                      const std::stop_token& stop) {
  if (options.draft.empty() || options.draft == "-") return nullptr;
  refuse_input_as_output(options.draft,
                         {options.detector.model.string(), options.picture.string()});
  return open_output(options.draft, options.overwrite, stop);
}

/// Prints what only networks have, and writes the draft of a card.
/// @param pictures  with which the reference score is measured; may be empty
void check_network(const ModelCheckOptions& options, std::span<const LabelledPicture> pictures,
                   const Print& print, const std::stop_token& stop) {
  const detector::DetectorOptions& detector = options.detector;
  const std::unique_ptr<OutputFile> file = open_card(options, stop);
  const detector::Model model(detector.model, detector.card);
  print_network(model, print);
  std::optional<float> measured;
  if (!pictures.empty()) measured = measure_reference_score(pictures, detector, print, stop);
  if (!options.draft.empty()) write_card(file.get(), draft_of_card(model, measured));
}

/// Reads the model. If it can't be read, prints what a network's file declares before the error.
std::unique_ptr<detector::DetectorFactory> read_model(const detector::DetectorOptions& detector,
                                                      bool is_network, const Print& print) {
  try {
    return detector::make_detector_factory(Device{}, detector);
  } catch (const Error& error) {
    if (is_network && error.kind() == ErrorKind::device) print_declared(detector.model, print);
    throw;
  }
}

}  // namespace

int check_model(const ModelCheckOptions& options, const Print& print, const std::stop_token& stop) {
  const detector::DetectorOptions& detector = options.detector;
  const bool is_network = detector::family_of(detector.model).traits.takes.card;
  if (!is_network && !options.draft.empty())
    throw Error(ErrorKind::usage,
                "--draft: model " + detector.model.string() + ": only networks have cards");
  if (!is_network && !options.images.empty())
    throw Error(ErrorKind::usage, "--images: model " + detector.model.string() +
                                      ": only networks have reference scores");
  std::vector<LabelledPicture> pictures;
  if (!options.images.empty()) pictures = read_labels(options.images);
  print_model(*read_model(detector, is_network, print), detector.model, print);
  if (is_network) check_network(options, pictures, print, stop);
  if (!options.picture.empty()) search_picture(options, detector, print, stop);
  return print_all_engines(detector, options, print) ? kExitDone : exit_code(ErrorKind::device);
}

}  // namespace facepipe::app
