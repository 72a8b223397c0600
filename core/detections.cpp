#include "core/detections.h"

#include <map>
#include <utility>

namespace facepipe {

void append(Detections& to, const Detections& more, std::uint16_t first_class) {
  const std::size_t before = to.size();
  const std::size_t after = before + more.size();
  if (more.has_landmarks()) to.landmarks.resize(before, kNoLandmarks);
  if (to.has_landmarks() || more.has_landmarks()) {
    to.landmarks.insert(to.landmarks.end(), more.landmarks.begin(), more.landmarks.end());
    to.landmarks.resize(after, kNoLandmarks);
  }
  to.boxes.insert(to.boxes.end(), more.boxes.begin(), more.boxes.end());
  to.scores.insert(to.scores.end(), more.scores.begin(), more.scores.end());
  if (to.classes.empty() && more.classes.empty() && first_class == 0) return;
  to.classes.resize(before);
  for (std::size_t i = 0; i < more.size(); ++i)
    to.classes.push_back(static_cast<std::uint16_t>(first_class + more.class_of(i)));
}

Detections scored_over(const Detections& found, float score) {
  Detections over;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found.scores[i] > score) over.push_back(found.boxes[i], found.scores[i], found, i);
  return over;
}

Detections scored_over(const Detections& found, std::span<const float> scores) {
  Detections over;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found.scores[i] > scores[found.class_of(i)])
      over.push_back(found.boxes[i], found.scores[i], found, i);
  return over;
}

std::vector<std::vector<std::uint32_t>> entries_by_class(const Detections& found) {
  std::map<std::uint16_t, std::vector<std::uint32_t>> entries;
  for (std::size_t i = 0; i < found.size(); ++i)
    entries[found.class_of(i)].push_back(static_cast<std::uint32_t>(i));
  std::vector<std::vector<std::uint32_t>> all;
  for (auto& [number, of_class] : entries) all.push_back(std::move(of_class));
  return all;
}

}  // namespace facepipe
