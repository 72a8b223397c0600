#include "app/model_check/picture.h"

#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/backends.h"
#include "app/output/existing_target.h"
#include "app/run/card_defaults.h"
#include "app/run/media_files.h"
#include "app/run/named_files.h"
#include "pipeline/backend.h"
#include "pipeline/job.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// Returns "NAME_faces.EXT" beside the picture, unless the user chose a name.
fs::path output_of(const ModelCheckOptions& options) {
  if (!options.output.empty()) return options.output;
  const fs::path& picture = options.picture;
  fs::path name = picture.stem();
  name += kDrawnSuffix;
  name += picture.extension();
  return picture.parent_path() / name;
}

}  // namespace

void search_picture(const ModelCheckOptions& options, const detector::DetectorOptions& detector,
                    const Print& print, const std::stop_token& stop) {
  const std::unique_ptr<pipeline::Backend> backend = make_backend(Device{}, detector);
  const detector::ModelInfo& model = backend->model_info();
  const bool score_of_card = detector.card_score != detector::CardScore::ignored;
  pipeline::JobOptions job;
  job.search = search_of({}, {.score = score_of_card}, model.about());
  job.input.name = options.picture.string();
  job.output.path = output_of(options);
  refuse_input_as_output(
      job.output.path, {options.picture.string(), detector.model.string(), detector.card.string()});
  job.output.existing = at_the_end(options.overwrite);
  job.overlay.boxes = true;
  job.overlay.scores = true;
  job.overlay.landmarks = model.finds_landmarks();
  job.resources.threads = detector.threads;
  const pipeline::JobResult result = pipeline::run_job(job, *backend, {}, stop);
  print("picture\n");
  print_line(print, "file", result.output.string());
  print_line(
      print, "found",
      fmt::format("{} with scores over {:.3g}, of {} candidates", result.counts.faces,
                  face_score_of(job.search, detector, model.about()), result.counts.candidates));
}

}  // namespace facepipe::app
