#include "app/doctor/cascades.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "app/failure.h"
#include "app/output/text.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

bool is_of_faces(const std::string& name) {
  return name.ends_with(".xml") && (name.starts_with("haarcascade_frontalface") ||
                                    name.starts_with("haarcascade_profileface"));
}

/// Returns nothing if the folder is missing or can't be read.
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

void print_cascades(const fs::path& folder, const Print& print) {
  std::vector<std::string> lines;
  for (const fs::path& file : face_cascades(folder)) {
    // A cascade that is refused doesn't count: some of OpenCV's have tilted features.
    (void)attempt({}, [&] {
      const detector::cascade::Cascade read = detector::cascade::read_cascade(file);
      lines.push_back(fmt::format("{}: {} stages, {} trees, window {}",
                                  terminal_text(file.filename().string()), read.stages.size(),
                                  read.trees.size(), to_string(read.window)));
    });
  }
  if (lines.empty()) {
    print("cascades: none found (Debian: opencv-data)\n");
    return;
  }
  print(fmt::format("cascades in {}\n", folder.string()));
  for (const std::string& line : lines) print("  " + line + "\n");
}

}  // namespace facepipe::app
