#include "app/run/class_columns.h"

#include <string>
#include <vector>

#include "app/model_path.h"
#include "app/run/known_tracks.h"
#include "core/error.h"
#include "detector/facts.h"
#include "detector/models.h"

namespace facepipe::app {
namespace {

std::vector<detector::FoundClass> classes_of_models(detector::DetectorOptions options) {
  find_models(options, program_directory());
  std::vector<detector::FoundClass> classes;
  for (const detector::DetectorOptions& model : detector::models_of(options))
    for (const std::string& name :
         model.classes.empty() ? detector::class_names(model) : model.classes)
      classes.push_back({name});
  return classes;
}

std::vector<detector::FoundClass> classes_of_tracks(const std::filesystem::path& file) {
  std::vector<detector::FoundClass> classes;
  for (const track::TrackClass& each : classes_in(track::read_track_file(file)))
    classes.push_back({each.name});
  return classes;
}

}  // namespace

bool has_class_columns(const RunOptions& options) {
  if (options.files.detections.extension() != ".csv") return false;
  try {
    return has_known_classes(options.files.known_tracks.empty()
                                 ? classes_of_models(options.detector)
                                 : classes_of_tracks(options.files.known_tracks));
  } catch (const Error&) {
    return false;
  }
}

}  // namespace facepipe::app
