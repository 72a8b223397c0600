#include "app/verify/verify.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "app/failure.h"
#include "app/model_path.h"
#include "app/output/progress.h"
#include "app/standard_streams.h"
#include "app/verify/report.h"
#include "core/error.h"
#include "core/output_file.h"
#include "core/sha256.h"
#include "core/timing.h"
#include "detector/detector.h"
#include "track/track_file.h"
#include "verify/looks.h"
#include "verify/pairing.h"
#include "verify/turned.h"
#include "verify/verifier.h"
#include "video/frame_source.h"
#include "video/grey_png.h"
#include "video/notices.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnFolder = 0700;
constexpr mode_t kOwnFile = 0600;

/// One video, read frame by frame.
class Reader {
 public:
  Reader(const std::string& input, const VerifyOptions& options, const std::stop_token& stop)
      : notices_(input),
        source_(input, {options.references, options.max_pixels, options.detector.threads}, notices_,
                stop) {
    video_.name = input;
    video_.size = source_.upright();
  }

  [[nodiscard]] std::optional<DecodedFrame> next() {
    std::optional<DecodedFrame> frame = source_.next();
    if (frame) ++video_.frames;
    return frame;
  }
  [[nodiscard]] std::optional<double> time_of(const std::optional<DecodedFrame>& frame) const {
    return frame ? std::optional(source_.seconds(frame->frame)) : std::nullopt;
  }
  [[nodiscard]] Size size() const { return video_.size; }
  [[nodiscard]] std::int64_t expected_frames() const { return source_.expected_frames(); }
  /// After the last frame.
  [[nodiscard]] VerifiedVideo video() const {
    VerifiedVideo video = video_;
    video.ledger = source_.ledger();
    return video;
  }

 private:
  Notices notices_;
  FrameSource source_;
  VerifiedVideo video_;
};

/// The detectors of both videos' looks.
class Detection {
 public:
  Detection(const VerifyOptions& options, Size size) : options_(options.detector) {
    options_.model = find_model(options_.model, program_directory());
    options_.score_threshold = kVerifyLeastScore;
    options_.requests = 1;
    const Size usual = options_.detect_size.value_or(size);
    add({});
    if (origin().choice().library == Library::cascade)
      throw Error(ErrorKind::usage,
                  "model " + options_.model.string() +
                      ": a cascade, which misses too many faces to prove that none is left");
    if (origin().choice().library == Library::acf)
      throw Error(ErrorKind::usage,
                  "model " + options_.model.string() +
                      ": channel features, which miss too many faces to prove that none is left");
    if (const std::optional<Size> reduced = reduced_size(usual)) add(reduced);
    if (options.quick) return;
    add_mirrored();
    if (const std::optional<Size> enlarged = enlarged_size(usual))
      add(enlarged);
    else
      spdlog::info("no enlarged look: 1.5 times {} is too large for it", to_string(usual));
  }

  [[nodiscard]] Looks looks() const { return Looks(looks_); }
  [[nodiscard]] TurnedSearch turned() const { return TurnedSearch(*factories_.front()); }
  [[nodiscard]] const DetectorOrigin& origin() const { return *factories_.front(); }

 private:
  /// @param size  none: the usual one
  void add(std::optional<Size> size) {
    DetectorOptions options = options_;
    if (size) options.detect_size = size;
    factories_.push_back(make_detector_factory(Device{}, options));
    looks_.push_back({factories_.back().get(), false});
  }
  /// All looks so far, in a mirror.
  void add_mirrored() {
    for (const auto& factory : factories_) looks_.push_back({factory.get(), true});
  }

  DetectorOptions options_;
  std::vector<std::unique_ptr<DetectorFactory>> factories_;
  std::vector<Look> looks_;
};

/// The edit file, if one was named, which must be the original's.
std::optional<TrackFile> read_tracks(const VerifyOptions& options, Size size,
                                     const std::stop_token& stop) {
  if (options.tracks.empty()) return std::nullopt;
  TrackFile file = read_track_file(options.tracks);
  if (file.input.size != size || file.input.sha256 != sha256_of_file(options.original, stop))
    throw Error(ErrorKind::usage,
                options.tracks.string() + ": was made for another input than " + options.original);
  return file;
}

/// Reads both videos side by side.
class Comparison {
 public:
  Comparison(Reader& original, Reader& hidden, Verifier& verifier, ProgressTeller& progress)
      : original_(original), hidden_(hidden), verifier_(verifier), progress_(progress) {}

  [[nodiscard]] FrameComparison run(const std::stop_token& stop);

 private:
  void go_on();
  void look(const std::stop_token& stop);

  Reader& original_;
  Reader& hidden_;
  Verifier& verifier_;
  ProgressTeller& progress_;
  FrameComparison frames_;
  std::optional<double> before_;  // time of the original's frame that went before
  std::optional<DecodedFrame> frame_;
  std::optional<DecodedFrame> after_;
  std::optional<DecodedFrame> partner_;
  std::int64_t number_ = 0;  // of the original's frame
};

FrameComparison Comparison::run(const std::stop_token& stop) {
  frame_ = original_.next();
  after_ = original_.next();
  partner_ = hidden_.next();
  while (frame_ || partner_) {
    const std::optional<double> time = original_.time_of(frame_);
    const std::optional<double> there = hidden_.time_of(partner_);
    switch (meet({before_, time, original_.time_of(after_), there})) {
      case Meeting::pair:
        if (std::abs(*time - *there) > kSameTime_s + 1e-9) frames_.stamps.add(*time, number_);
        look(stop);
        partner_ = hidden_.next();
        go_on();
        break;
      case Meeting::missing:
        frames_.missing.add(*time, number_);
        go_on();
        break;
      case Meeting::extra:
        frames_.extra.add(*there, number_);
        partner_ = hidden_.next();
        break;
    }
  }
  return frames_;
}

void Comparison::go_on() {
  before_ = original_.time_of(frame_);
  frame_ = std::exchange(after_, std::nullopt);
  if (frame_) after_ = original_.next();
  ++number_;
}

void Comparison::look(const std::stop_token& stop) {
  ++frames_.pairs;
  verifier_.push(
      {frame_->frame, partner_->frame, number_, *original_.time_of(frame_), frame_->damaged}, stop);
  Progress progress;
  progress.frames = frames_.pairs;
  progress.expected_frames = original_.expected_frames();
  progress.faces = verifier_.counts().detected;
  progress_.update(progress);
}

[[noreturn]] void fail(const fs::path& path, int code) {
  throw Error(ErrorKind::output, path.string() + ": " + write_failure(code));
}

/// A folder of the user's own: the thumbnails show faces.
void make_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), kOwnFolder) == 0) return;
  if (errno == EEXIST)
    throw Error(ErrorKind::output, folder.string() +
                                       ": exists already (thumbnails go into a folder of their "
                                       "own, which nobody else can read)");
  fail(folder, errno);
}

/// "0001-leak.png", in the order of the findings; empty where a finding has no thumbnail.
std::vector<fs::path> write_thumbnails(const fs::path& folder,
                                       const std::vector<Finding>& findings) {
  std::vector<fs::path> names;
  for (const Finding& finding : findings) {
    fs::path& name = names.emplace_back();
    const Grey& picture = finding.thumbnail;
    if (picture.samples.empty()) continue;
    std::string number = std::to_string(names.size());
    number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
    name = folder / (number + "-" + std::string(name_of(finding.kind)) + ".png");
    const int code = write_new_file(name, grey_png(picture.samples, picture.size), kOwnFile);
    if (code != 0) fail(name, code);
  }
  return names;
}

void write_report(OutputFile& file, const std::string& text) {
  if (const int code = file.write(std::as_bytes(std::span(text))); code != 0) file.fail(code);
  file.commit();
}

int exit_code_of(const VerifyResult& result, const VerifyOptions& options) {
  const bool cosmetic = result.count(FindingKind::cosmetic) > 0 && !options.tolerate_cosmetic;
  if (result.count(FindingKind::leak) > 0 || cosmetic) return kExitLeak;
  return result.sound() ? kExitDone : kExitDamaged;
}

ProgressKind progress_kind(const VerifyOptions& options) {
  return !options.quiet && isatty(STDERR_FILENO) == 1 ? ProgressKind::bar : ProgressKind::none;
}

}  // namespace

int verify(const VerifyOptions& options, const std::stop_token& stop) {
  std::optional<OutputFile> report;
  if (!options.report.empty())
    report.emplace(options.report,
                   options.overwrite ? ExistingTarget::replace : ExistingTarget::refuse, stop);
  if (report && !options.overwrite) report->expect_no_file();
  Reader original(options.original, options, stop);
  Reader hidden(options.hidden, options, stop);
  const std::optional<TrackFile> tracks = read_tracks(options, original.size(), stop);
  const Detection detection(options, original.size());
  if (!options.thumbnails.empty()) make_folder(options.thumbnails);
  Verifier verifier({options.score, !options.thumbnails.empty(), tracks ? &*tracks : nullptr},
                    detection.looks(), detection.looks(), detection.turned());
  VerifyResult result;
  {
    ProgressTeller progress(progress_kind(options), stderr, {options.hidden, 1, 1, {}, 0, {}});
    result.frames = Comparison(original, hidden, verifier, progress).run(stop);
    result.findings = verifier.finish();
  }
  result.counts = verifier.counts();
  result.turned = verifier.turned();
  result.boxes_left_out = verifier.boxes_left_out();
  result.original = original.video();
  result.hidden = hidden.video();
  result.exit_code = exit_code_of(result, options);
  if (!options.thumbnails.empty())
    result.thumbnails = write_thumbnails(options.thumbnails, result.findings);
  if (report) write_report(*report, verify_json(result, options, detection.origin()));
  if (options.quiet) return result.exit_code;
  tell(verify_summary(result, options));
  return result.exit_code;
}

}  // namespace facepipe
