#include "app/review/review.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "app/failure.h"
#include "app/output/existing_target.h"
#include "app/review/decision_log.h"
#include "app/review/rendering.h"
#include "app/review/review_file.h"
#include "app/review/review_gate.h"
#include "app/review/review_pictures.h"
#include "app/review/review_routes.h"
#include "app/review/review_session.h"
#include "app/run/known_tracks.h"
#include "app/run/pipeline_run.h"
#include "app/standard_streams.h"
#include "core/error.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& file) {
  std::error_code none;
  return fs::exists(file, none);
}

/// Returns the tracks that a review begins with; empty if the edit file exists and the user has
/// named no tracks.
fs::path known_tracks(const ReviewOptions& options) {
  if (!options.tracks.empty()) return options.tracks;
  const fs::path& found = options.detect.files.tracks;
  return is_there(found) ? found : fs::path();
}

/// Serves the page until somebody ends the review. Returns whether a rendering was interrupted.
class ServedReview {
 public:
  ServedReview(const ReviewOptions& options, ReviewDoor& door, const fs::path& tracks,
               const std::string& sha256, std::stop_token stop)
      : options_(options),
        door_(door),
        stop_(std::move(stop)),
        frames_({options.input, options.verify.max_pixels}, ended_.get_token()),
        session_({tracks, options.edits, options.reviewer}, frames_.facts(), input(sha256)),
        boxes_({options.input, options.verify.max_pixels}, session_.boxes_for_pictures(),
               ended_.get_token()),
        rendering_(options, session_, frames_.facts()),
        gate_(door.port().number()) {}

  [[nodiscard]] bool serve() {
    const std::stop_callback on_signal(stop_, [this] { ended_.request_stop(); });
    const ReviewParts parts{gate_,  session_,   frames_,
                            boxes_, rendering_, [this] { ended_.request_stop(); }};
    bool interrupted = false;
    {
      const ReviewServer server(
          door_.port(),
          {.refusal = [this](const HttpRequest& request) { return gate_.refusal(request); },
           .answer = [&](const HttpRequest& request) { return answer_review(request, parts); }});
      print_address();
      while (rendering_.wait_for_order(ended_.get_token()))
        interrupted = !rendering_.carry_out(ended_.get_token());
    }
    session_.finish();
    if (!quiet()) print_to_stderr("Saved " + options_.edits.string() + "\n");
    return interrupted;
  }

 private:
  [[nodiscard]] track::TrackFileInput input(const std::string& sha256) const {
    const VideoFacts& facts = frames_.facts();
    return {sha256, 0, facts.size, facts.time_base};
  }

  [[nodiscard]] bool quiet() const { return options_.hide.console.quiet; }

  void print_address() const {
    print("Review " + options_.input + " at\n" + gate_.address() + "\n");
    if (!quiet())
      print_to_stderr("The address works once. End the review in its page, or with Ctrl-C here.\n");
    door_.open(gate_.address());
  }

  const ReviewOptions& options_;
  ReviewDoor& door_;
  const std::stop_token stop_;
  std::stop_source ended_;
  FramePictures frames_;
  ReviewSession session_;
  BoxPictures boxes_;
  Rendering rendering_;
  ReviewGate gate_;
};

/// Writes the page as one file.
void write_page(const ReviewOptions& options, const fs::path& tracks, const std::string& sha256,
                const std::stop_token& stop) {
  const ReviewInput input{options.input, options.verify.max_pixels};
  const VideoFacts facts = FrameSearch(input, stop).facts();
  const fs::path& source = is_there(options.edits) ? options.edits : tracks;
  ReviewedTracks reviewed =
      read_reviewed_tracks(source, facts, {sha256, 0, facts.size, facts.time_base});
  reviewed.mark_as_looked_at(looked_at_by_log(options.edits));
  write_review_file(options.page, at_the_end(options.hide.existing),
                    {input, facts, reviewed, options.edits.filename().string()}, stop);
  if (!options.hide.console.quiet)
    print_to_stderr(
        options.page.string() +
        ": shows the faces that are to be hidden; only you can read it, so don't pass it on\n");
}

}  // namespace

int review(const ReviewOptions& options, ReviewDoor& door, const std::stop_token& stop) {
  if (!is_there(options.input))
    throw Error(ErrorKind::input, options.input + ": can't be opened: there is no such file");
  if (!options.page.empty()) static_cast<void>(checked_target(options.page, options.hide.existing));
  const std::string sha256 = sha256_of_input(options.input, "review", stop);
  fs::path tracks = known_tracks(options);
  if (tracks.empty() && !is_there(options.edits)) {
    const int code = run_with_pipeline(options.detect, stop);
    if (code != kExitDone && code != kExitDamaged && code != kExitLeak) return code;
    tracks = options.detect.files.tracks;
  } else if (options.tracks.empty() && !is_there(options.edits)) {
    spdlog::info("{}: an earlier review found these tracks; remove the file to search again",
                 tracks.string());
  }
  if (!options.page.empty()) {
    write_page(options, tracks, sha256, stop);
    return kExitDone;
  }
  return ServedReview(options, door, tracks, sha256, stop).serve() ? kExitInterrupted : kExitDone;
}

}  // namespace facepipe::app
