#include "app/options/derive/review.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "app/options/derive/common.h"
#include "app/options/derive/hiding.h"

namespace facepipe::app {
namespace {

/// Returns "clip.tracks.json" for "clip.edits.json".
std::filesystem::path found_tracks_of(const std::filesystem::path& edits) {
  std::filesystem::path name = edits.stem();  // without ".json"
  if (name.extension() == ".edits") name = name.stem();
  name += ".tracks.json";
  return edits.parent_path() / name;
}

std::filesystem::path edits_of(const std::string& input) {
  std::filesystem::path edits = input;
  return edits.replace_extension(".edits.json");
}

std::string login_name() {
  const char* const name = std::getenv("USER");
  return name == nullptr || *name == '\0' ? "unknown" : name;
}

/// Makes the options of the search that review begins with.
RunOptions derive_search(const Asked& asked, const std::filesystem::path& found) {
  Asked search = asked;
  search.outputs = {};
  search.run.job.output = {};
  search.run.files.tracks = found;
  return derive_detect(search);
}

/// Makes the options with which review hides what its edit file says.
RunOptions derive_rendering(const Asked& asked, const std::filesystem::path& edits) {
  Asked rendering = asked;
  rendering.run.files.known_tracks = edits;
  // These options are about the search, which has been made.
  rendering.detector = {};
  rendering.detector.threads = asked.detector.threads;
  rendering.models.clear();
  rendering.hiding.careful = false;
  rendering.run.job.search = {};
  return derive_hide(rendering);
}

}  // namespace

ReviewOptions derive_review(const Asked& asked) {
  const std::vector<std::string> inputs = all_inputs(asked);
  if (inputs.size() != 1) clash("review takes one INPUT, not " + std::to_string(inputs.size()));
  if (inputs.front() == "-" || inputs.front().empty()) clash("review needs a file as its INPUT");
  if (asked.outputs.path == "-") clash("--output -: review writes its video to a file");
  ReviewOptions review;
  review.input = inputs.front();
  review.tracks = asked.review.tracks;
  review.edits = asked.review.edits.empty() ? edits_of(review.input) : asked.review.edits;
  if (review.tracks == review.edits)
    clash("--tracks and --edits are the same file: review doesn't change the tracks");
  review.reviewer = asked.review.reviewer.empty() ? login_name() : asked.review.reviewer;
  review.opens_browser = !asked.review.no_open;
  review.page = asked.review.to;
  review.detect = derive_search(asked, found_tracks_of(review.edits));
  review.hide = derive_rendering(asked, review.edits);
  review.verify = asked.verify;
  review.verify.detector = detector_of(asked);
  review.verify.console = asked.console;
  review.verify.max_pixels = asked.max_pixels;
  return review;
}

}  // namespace facepipe::app
