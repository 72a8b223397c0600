#include "core/detections.h"

namespace facepipe {

void append(Detections& to, const Detections& more) {
  to.boxes.insert(to.boxes.end(), more.boxes.begin(), more.boxes.end());
  to.scores.insert(to.scores.end(), more.scores.begin(), more.scores.end());
  to.landmarks.insert(to.landmarks.end(), more.landmarks.begin(), more.landmarks.end());
}

Detections scored_over(const Detections& found, float score) {
  Detections over;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found.scores[i] > score) over.push_back(found.boxes[i], found.scores[i], found, i);
  return over;
}

}  // namespace facepipe
