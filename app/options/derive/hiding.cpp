#include "app/options/derive/hiding.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "app/options/derive/common.h"
#include "app/options/derive/whole_videos.h"
#include "core/machine.h"
#include "video/read/rgba_image.h"

namespace facepipe::app {
namespace {

// --careful changes these values:
// * kCarefulGap_s is for how long a face may be missed.
// * kCarefulSure replaces TrackerOptions::sure_score. Boxes of a track that has a detection of this
//   score cover more.
// * kCarefulStart is the score that starts a track. It is higher because two detection passes find
//   more false faces.
// Larger masks, or a longer look-ahead, would cost more of the picture for each additional face
// that they hide.
constexpr double kCarefulGap_s = 1;
constexpr float kCarefulSure = 0.15F;
constexpr float kCarefulStart = 0.155F;

void check_track_file(const Asked& asked) {
  const RunOptions& run = asked.run;
  if (run.files.tracks.empty()) return;
  if (asked.outputs.skip_existing) clash("--write-tracks and --skip-existing exclude each other");
  if (run.job.input.start_s || run.job.input.end_s)
    clash("--write-tracks needs the whole input: it excludes --start and --end");
  if (asked.allow_references)
    clash(
        "--write-tracks identifies the input by its SHA-256, which doesn't cover the files that a "
        "playlist names: it excludes --allow-references");
}

/// Makes the options that hide and detect have in common.
RunOptions with_tracking(const Asked& asked) {
  RunOptions run = asked.run;
  pipeline::HideJob& hide = run.job.hide.emplace();
  hide.host_motion = asked.hiding.motion == MotionPlace::host;
  run.motion_on_device = asked.hiding.motion == MotionPlace::device;
  if (asked.hiding.careful) {
    if (run.job.search.every > 1)
      clash("--careful looks at every frame twice: it excludes --every");
    hide.tracks.gap_s = kCarefulGap_s;
    hide.tracks.sure_score = kCarefulSure;
    hide.tracks.start_score = kCarefulStart;
  }
  hide.wants_tracks = !run.files.tracks.empty();
  check_track_file(asked);
  return run;
}

overlay::HideOptions derive_appearance(const AskedHiding& hiding) {
  overlay::HideOptions appearance;
  appearance.shape = hiding.shape;
  appearance.style = hiding.style.style;
  appearance.color = hiding.style.color;
  appearance.grow = hiding.grow.value_or(overlay::default_grow(hiding.shape));
  if (!hiding.style.image_file.empty())
    appearance.image =
        std::make_shared<const RgbaImage>(video::read_rgba_image(hiding.style.image_file));
  return appearance;
}

/// Returns the value of --lookahead-memory. The default is at most a quarter of what the control
/// group allows, because the system kills a process that needs more.
std::int64_t lookahead_bytes(const AskedHiding& hiding) {
  static const AskedHiding unasked;
  const std::optional<std::int64_t> limit = memory_limit();
  const bool chosen = hiding.lookahead_bytes != unasked.lookahead_bytes;
  return chosen || !limit ? hiding.lookahead_bytes : std::min(hiding.lookahead_bytes, *limit / 4);
}

}  // namespace

RunOptions derive_hide(const Asked& asked) {
  if (asked.outputs.no_video)
    clash("--no-video: hide always makes a video; detect makes only the other files");
  RunOptions run = with_tracking(asked);
  pipeline::HideJob& hide = *run.job.hide;
  hide.appearance = derive_appearance(asked.hiding);
  hide.kept_tags = asked.hiding.kept_tags;
  hide.most_bytes = lookahead_bytes(asked.hiding);
  hide.regions = asked.hiding.regions;
  if (!run.files.known_tracks.empty() && asked.allow_references)
    clash(
        "--tracks identifies the input by its SHA-256, which doesn't cover the files that a "
        "playlist names: it excludes --allow-references");
  return derive_run(asked, std::move(run));
}

RunOptions derive_detect(const Asked& asked) {
  RunOptions run = with_tracking(asked);
  run.video = false;
  return derive_run(asked, std::move(run));
}

}  // namespace facepipe::app
