#include "detector/turned_faces.h"

#include <algorithm>
#include <cstddef>

#include "core/turning.h"

namespace facepipe::detector {
namespace {

// A detector for upright faces finds only about a third of the faces that are turned. So if it
// finds clearly more faces in turned pictures than in unturned pictures, the faces are turned. If
// the faces are upright, it finds far more of them in unturned pictures.
constexpr std::int64_t kTimesAsMany = 2;  // kHalves / kTimesAsMany is the factor: 1.5
constexpr std::int64_t kHalves = 3;
// Fewer faces than this may be false detections.
constexpr std::int64_t kFewFaces = 3;

}  // namespace

Frame turned_view(const Frame& frame, int quarter_turns) {
  Frame view = view_of(frame);
  view.orientation = turned(frame.orientation, quarter_turns);
  return view;
}

void append_turned_back(Detections& to, const Detections& found, int quarter_turns, Size upright) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    to.push_back(turned_back(found.boxes[i], quarter_turns, upright), found.scores[i]);
    to.set_class_of_last(found.class_of(i));
  }
}

std::optional<int> turn_of_faces(const FacesByTurn& found) {
  const auto* const most = std::max_element(found.begin() + 1, found.end());
  const bool many = *most >= kFewFaces && kTimesAsMany * *most >= kHalves * found[0];
  return many ? std::optional(static_cast<int>(most - found.begin())) : std::nullopt;
}

TurnInWords turn_in_words(int quarter_turns) {
  if (quarter_turns == 1) return {"90 degrees clockwise", "-vf transpose=clock"};
  if (quarter_turns == 2) return {"180 degrees", "-vf hflip,vflip"};
  return {"90 degrees counter-clockwise", "-vf transpose=cclock"};
}

}  // namespace facepipe::detector
