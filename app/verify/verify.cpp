#include "app/verify/verify.h"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "app/failure.h"
#include "app/output/existing_target.h"
#include "app/output/html/verify_page.h"
#include "app/output/input_record.h"
#include "app/output/progress.h"
#include "app/run/file_hashes.h"
#include "app/run/named_files.h"
#include "app/standard_streams.h"
#include "app/verify/comparison.h"
#include "app/verify/detectors.h"
#include "app/verify/report.h"
#include "app/verify/verification.h"
#include "core/error.h"
#include "core/files/output_file.h"
#include "core/files/sha256.h"
#include "core/timing.h"
#include "track/track_file.h"
#include "video/write/grey_png.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnFolder = 0700;
constexpr mode_t kOwnFile = 0600;

/// Reads the edit file, if the user named one. Throws Error(usage) if it belongs to another
/// original.
std::optional<track::TrackFile> read_tracks(const VerifyOptions& options, Size size,
                                            const std::stop_token& stop) {
  if (options.tracks.empty()) return std::nullopt;
  track::TrackFile file = track::read_track_file(options.tracks);
  if (file.input.size != size || file.input.sha256 != sha256_of_file(options.original, stop))
    throw Error(ErrorKind::usage,
                options.tracks.string() + ": was made for another input than " + options.original);
  return file;
}

[[noreturn]] void fail(const fs::path& path, int code) {
  throw Error(ErrorKind::output, path.string() + ": " + write_failure(code));
}

/// Makes a folder that only the user may open, because the thumbnails show faces.
void make_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), kOwnFolder) == 0) return;
  if (errno == EEXIST)
    throw Error(ErrorKind::output, folder.string() +
                                       ": exists already (thumbnails go into a folder of their "
                                       "own, which nobody else can read)");
  fail(folder, errno);
}

/// Writes the thumbnails as "0001-leak.png" and so on, in the order of the findings. Returns their
/// names. The name is empty if a finding has no thumbnail.
std::vector<fs::path> write_thumbnails(const fs::path& folder,
                                       const std::vector<verify::Finding>& findings) {
  std::vector<fs::path> names;
  for (const verify::Finding& finding : findings) {
    fs::path& name = names.emplace_back();
    const verify::Grey& picture = finding.thumbnail;
    if (picture.samples.empty()) continue;
    std::string number = std::to_string(names.size());
    number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
    name = folder / (number + "-" + std::string(name_of(finding.kind)) + ".png");
    const int code = write_new_file(name, video::grey_png(picture.samples, picture.size), kOwnFile);
    if (code != 0) fail(name, code);
  }
  return names;
}

int exit_code_of(const VerifyResult& result, const VerifyOptions& options) {
  const bool cosmetic =
      result.count(verify::FindingKind::cosmetic) > 0 && !options.tolerate_cosmetic;
  if (result.count(verify::FindingKind::leak) > 0 || cosmetic || !result.has_looked_at_all())
    return kExitLeak;
  return result.sound() ? kExitDone : kExitDamaged;
}

/// Holds the files of --report and --report-html.
class Reports {
 public:
  /// Throws Error(usage) if both are the same file, or if one of them is an input. Throws the
  /// errors of open_output().
  Reports(const VerifyOptions& options, const std::stop_token& stop) : options_(options) {
    for (const fs::path& file : {options.report, options.page})
      refuse_input_as_output(file,
                             {options.original, options.hidden, options.tracks.string(),
                              options.detector.model.string(), options.detector.card.string()});
    if (!options.report.empty() && !options.page.empty() &&
        identity(options.report) == identity(options.page))
      throw Error(ErrorKind::usage, options.page.string() + ": is named twice");
    if (!options.report.empty()) report_ = open_output(options.report, options.overwrite, stop);
    if (!options.page.empty()) page_ = open_output(options.page, options.overwrite, stop);
  }

  /// Adds the hashes of the files to the result, and writes what the user wants.
  void write(VerifyResult& result, const detector::ModelInfo& model, const std::stop_token& stop) {
    if (!report_ && !page_) return;
    if (result.original.sha256.empty())
      result.original.sha256 = hash_if_file(options_.original, stop);
    result.hidden.sha256 = hash_if_file(options_.hidden, stop);
    result.edit_sha256 = hash_if_file(options_.tracks, stop);
    if (report_) complete(*report_, verify_json(result, options_, model));
    if (page_) complete(*page_, verify_page(verify_report(result, options_, model)));
  }

 private:
  static void complete(OutputFile& file, const std::string& text) {
    file.write_text(text);
    file.commit();
  }

  const VerifyOptions& options_;
  std::unique_ptr<OutputFile> report_;
  std::unique_ptr<OutputFile> page_;
};

}  // namespace

Verified compare_videos(const VerifyOptions& options, const VerifyProgress& progress,
                        const std::stop_token& stop) {
  const Clock::time_point start = Clock::now();
  const std::string begun = utc_text(std::chrono::system_clock::now());
  VideoReader original(options.original, options, stop);
  VideoReader hidden(options.hidden, options, stop);
  const std::optional<track::TrackFile> tracks = read_tracks(options, original.size(), stop);
  const VerifyDetectors detectors(options, original.size());
  if (!options.thumbnails.empty()) make_folder(options.thumbnails);
  VerifyResult result;
  Verification verification(options, detectors, tracks ? &*tracks : nullptr, progress);
  verification.compare(original, hidden, result, stop);
  verification.search_others(hidden.other_pictures(), result, stop);
  verify::sort_by_weight(result.findings);
  result.original = original.video();
  if (tracks) result.original.sha256 = tracks->input.sha256;  // read_tracks() has compared it
  result.hidden = hidden.video();
  result.exit_code = exit_code_of(result, options);
  if (!options.thumbnails.empty())
    result.thumbnails = write_thumbnails(options.thumbnails, result.findings);
  result.begun = begun;
  result.wall_s = in_seconds(Clock::now() - start);
  return {std::move(result), detectors.model_info()};
}

int verify(const VerifyOptions& options, const std::stop_token& stop) {
  Reports reports(options, stop);
  std::optional<Verified> verified;
  {
    std::optional<ProgressReporter> reporter;
    const VerifyProgress progress = [&](const pipeline::Progress& now) {
      if (!reporter)
        reporter.emplace(progress_kind(options.console), stderr,
                         ProgressState{options.hidden, 1, 1, {}, 0, {}});
      reporter->update(now);
    };
    verified = compare_videos(options, progress, stop);
  }
  VerifyResult& result = verified->result;
  reports.write(result, verified->model, stop);
  if (options.console.quiet) return result.exit_code;
  print_to_stderr(verify_summary(result, options));
  return result.exit_code;
}

}  // namespace facepipe::app
