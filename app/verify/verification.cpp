#include "app/verify/verification.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "app/run/card_defaults.h"
#include "app/verify/memory_file.h"
#include "core/error.h"
#include "video/read/input_access.h"

namespace facepipe::app {
namespace {

/// Returns the error's reason without the name of a file in memory, which would mean nothing to
/// users.
std::string reason_of_failure(const Error& error) {
  const std::string text = error.what();
  const std::size_t name_end = text.find(": ");
  const bool in_memory = text.starts_with("/proc/self/fd/") && name_end != std::string::npos;
  return in_memory ? text.substr(name_end + 2) : text;
}

/// Turns faces that only this stream shows into leaks, because anybody can see them there.
void count_others(const ScoreScales& scales, std::vector<verify::Finding>& findings) {
  for (verify::Finding& finding : findings)
    if (finding.kind == verify::FindingKind::only_there &&
        scales.of(finding.clearest.found_class).usual(finding.best_score) >= verify::kSurelyFace)
      finding.kind = verify::FindingKind::leak;
}

}  // namespace

/// Adds findings to the result.
/// @param place  the Finding::place of these findings
void Verification::add(std::vector<verify::Finding> findings, const std::string& place,
                       VerifyResult& result) const {
  for (verify::Finding& finding : findings) {
    finding.place = place;
    name_class(finding);
    result.findings.push_back(std::move(finding));
  }
}

/// Fills in what the finding shows.
void Verification::name_class(verify::Finding& finding) const {
  if (finding.source != verify::FindingSource::edit_file) {
    const detector::FoundClass& found =
        detectors_.model_info().classes().at(finding.clearest.found_class);
    finding.class_name = found.name;
    finding.model = found.model;
    return;
  }
  const auto track = std::ranges::find(tracks_->tracks, finding.track, &track::FileTrack::id);
  finding.class_name = track->found_class;
  finding.model = track->model;
}

void Verification::compare(VideoReader& original, VideoReader& hidden, VerifyResult& result,
                           const std::stop_token& stop) {
  verify::Verifier pairs = verifier();
  verify::LonePictures extra = lone_pictures();
  result.frames = Comparison(original, hidden, {pairs, extra}, progress_).run(stop);
  add(pairs.finish(), {}, result);
  add(extra.finish(), "a frame that the original lacks", result);
  result.counts = pairs.counts();
  result.turned = pairs.turned();
  result.boxes_left_out = pairs.boxes_left_out();
}

void Verification::search_others(const std::vector<video::OtherPictures>& all, VerifyResult& result,
                                 const std::stop_token& stop) {
  for (const video::OtherPictures& pictures : all) {
    OtherVideo entry{pictures.name, 0, pictures.unreadable};
    try {
      if (entry.reason_not_searched.empty()) search_other(pictures, entry, result, stop);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      if (!pictures.surely && entry.frames == 0) continue;  // the data are not a picture
      entry.reason_not_searched = reason_of_failure(error);
    }
    result.beside.push_back(std::move(entry));
  }
}

void Verification::search_other(const video::OtherPictures& pictures, OtherVideo& entry,
                                VerifyResult& result, const std::stop_token& stop) {
  if (!pictures.stream) {
    const MemoryFile file(pictures.file);
    search_alone(file.path(), std::nullopt, entry, result, stop);
  } else if (video::is_fifo(options_.hidden)) {
    entry.reason_not_searched = "a pipe can't be read again";
  } else if (pictures.timed && !video::is_fifo(options_.original)) {
    compare_stream(pictures, entry, result, stop);
  } else {
    search_alone(options_.hidden, pictures.stream, entry, result, stop);
  }
}

void Verification::compare_stream(const video::OtherPictures& pictures, OtherVideo& entry,
                                  VerifyResult& result, const std::stop_token& stop) {
  VideoReader original(options_.original, options_, stop);
  VideoReader hidden(options_.hidden, options_, stop, pictures.stream);
  verify::Verifier pairs = verifier();
  verify::LonePictures extra = lone_pictures();
  static_cast<void>(Comparison(original, hidden, {pairs, extra}, progress_).run(stop));
  std::vector<verify::Finding> findings = pairs.finish();
  count_others(detectors_.scales(), findings);
  add(std::move(findings), pictures.name, result);
  add(extra.finish(), pictures.name, result);
  entry.frames = hidden.frames();
  result.boxes_left_out += pairs.boxes_left_out();
}

void Verification::search_alone(const std::string& input, std::optional<int> stream,
                                OtherVideo& entry, VerifyResult& result,
                                const std::stop_token& stop) {
  VideoReader reader(input, options_, stop, stream);
  verify::LonePictures lone = lone_pictures();
  while (const std::optional<video::DecodedFrame> frame = reader.next())
    lone.push(frame->frame, entry.frames++, reader.time_of(frame).value_or(0), stop);
  add(lone.finish(), entry.name, result);
}

verify::Verifier Verification::verifier() const {
  const detector::ModelAbout& model = detectors_.model_info().about();
  float least_score = model.scale().usual(verify_score_of(options_, model));
  // A score that the user names is one of each model. The lowest usual one of them misses nothing.
  if (options_.score)
    for (const detector::ModelInfo& each : each_of(detectors_.model_info()))
      least_score = std::min(least_score, each.about().scale().usual(*options_.score));
  return {{least_score, thumbnails(), tracks_},
          detectors_.looks(),
          detectors_.looks(),
          detectors_.turned()};
}

verify::LonePictures Verification::lone_pictures() const {
  return {detectors_.looks(), thumbnails()};
}

}  // namespace facepipe::app
