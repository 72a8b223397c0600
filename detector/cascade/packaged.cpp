#include "detector/cascade/packaged.h"

#include <algorithm>
#include <system_error>

#include "core/error.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::detector::cascade {
namespace {

namespace fs = std::filesystem;

bool is_of_faces(const std::string& name) {
  return name.ends_with(".xml") && (name.starts_with("haarcascade_frontalface") ||
                                    name.starts_with("haarcascade_profileface"));
}

/// Returns the folder's cascades of faces. Returns none if the folder is missing or can't be read.
std::vector<fs::path> face_cascades(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure); !failure && at != fs::directory_iterator();
       at.increment(failure))
    if (is_of_faces(at->path().filename().string())) found.push_back(at->path());
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::vector<std::string> describe_cascades_in(const fs::path& folder) {
  std::vector<std::string> lines;
  for (const fs::path& file : face_cascades(folder)) {
    try {
      const Cascade read = read_cascade(file);
      lines.push_back(file.filename().string() + ": " + std::to_string(read.stages.size()) +
                      " stages, " + std::to_string(read.trees.size()) + " trees, window " +
                      to_string(read.window));
    } catch (const Error&) {
      // We omit a cascade that is refused: some of OpenCV's cascades have tilted features.
    }
  }
  return lines;
}

}  // namespace facepipe::detector::cascade
