#include "app/model_check/images.h"

#include <spdlog/fmt/fmt.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/backends.h"
#include "app/model_check/false_positives.h"
#include "app/run/card_defaults.h"
#include "core/error.h"
#include "pipeline/backend.h"
#include "pipeline/job.h"

namespace facepipe::app {
namespace {

// The score of detectors that find one false positive in each picture is far above this.
constexpr float kLeastScore = 0.01F;

/// Returns all faces in a picture, of low scores, too.
Detections faces_in(const LabelledPicture& picture, pipeline::JobOptions job,
                    pipeline::Backend& backend, const std::stop_token& stop) {
  job.input.name = picture.file.string();
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorKind::input, job.input.name + ": " + reason);
  };
  std::vector<FrameRecord> frames;
  pipeline::JobObserver observer;
  observer.frame = [&](const FrameRecord& frame) {
    if (!frames.empty()) refuse("not a single picture");
    frames.push_back(frame);
  };
  static_cast<void>(pipeline::run_job(job, backend, observer, stop));
  if (stop.stop_requested()) throw Stopped();
  if (frames.empty() || frames.front().damaged) refuse("a damaged picture");
  if (frames.front().size != picture.size)
    refuse("its size is " + to_string(frames.front().size) + ", but labels.txt says " +
           to_string(picture.size));
  return std::move(frames.front().faces);
}

}  // namespace

std::optional<float> measure_reference_score(std::span<const LabelledPicture> pictures,
                                             const detector::DetectorOptions& detector,
                                             const Print& print, const std::stop_token& stop) {
  detector::DetectorOptions weak = detector;
  weak.score_threshold = kLeastScore;
  weak.card_score = detector::CardScore::ignored;
  const std::unique_ptr<pipeline::Backend> backend = make_backend(Device{}, weak);
  pipeline::JobOptions job;
  job.search = search_of({}, {}, backend->model_info().about());
  job.resources.threads = detector.threads;
  FalsePositives counted(pictures.size());
  std::size_t faces = 0;
  for (const LabelledPicture& picture : pictures) {
    counted.add(faces_in(picture, job, *backend, stop), picture.faces);
    faces += picture.faces.size();
  }
  const std::optional<float> reference = counted.reference_score();
  print("images\n");
  print_line(print, "pictures", fmt::format("{}, with {} faces", pictures.size(), faces));
  print_line(print, "reference",
             reference ? fmt::format("{:.3f}: at this score, there is one false positive in each "
                                     "picture, on average",
                                     *reference)
                       : fmt::format("none, because there is less than one false positive in each "
                                     "picture over a score of {}",
                                     kLeastScore));
  return reference;
}

}  // namespace facepipe::app
