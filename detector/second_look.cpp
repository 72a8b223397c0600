#include "detector/second_look.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "detector/crops.h"

namespace facepipe::detector {
namespace {

float best_score(const Detections& found, const Box& face) {
  float best = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (fits_face(found.boxes[i], face)) best = std::max(best, found.scores[i]);
  return best;
}

}  // namespace

std::unique_ptr<SecondLook> SecondLook::make(DetectorFactory& detectors) {
  if (detectors.model_kind() != "centerface" || !detectors.others().empty()) return nullptr;
  std::shared_ptr<Detector> detector = detectors.detector(CropSheet::kSize);
  if (detector->facts().network != CropSheet::kSize) return nullptr;
  return std::make_unique<SecondLook>(std::move(detector));
}

SecondLook::SecondLook(std::shared_ptr<Detector> detector) : detector_(std::move(detector)) {}

std::vector<float> SecondLook::scores_of(const Frame& frame, std::span<const Box> faces,
                                         const std::stop_token& stop) {
  std::vector<float> scores;
  scores.reserve(faces.size());
  while (scores.size() < faces.size()) {
    const std::span<const Box> rest = faces.subspan(scores.size());
    sheet_.clear();
    std::vector<Box> places;
    for (const Box& face : rest.first(std::min(rest.size(), CropSheet::kPlaces)))
      places.push_back(sheet_.draw(frame, face, places.size()));
    const std::unique_ptr<DetectionRequest> request = detector_->acquire(stop);
    // A detector with turned looks has another one for each number of the frame. The number depends
    // on nothing but the frame, so each lane and each part finds the same.
    Frame sheet = sheet_.frame();
    sheet.index = frame.index + static_cast<std::int64_t>(scores.size() / CropSheet::kPlaces);
    request->prepare(sheet);
    request->start();
    const Detections found = request->collect();
    for (const Box& place : places) scores.push_back(best_score(found, place));
  }
  return scores;
}

}  // namespace facepipe::detector
