#include "verify/box_follower.h"

#include <cstddef>
#include <optional>

#include "track/matching.h"

namespace facepipe::verify {
namespace {

constexpr double kFollow_s = 0.5;

}  // namespace

std::vector<std::int64_t> BoxFollower::follow(const Detections& found, double time_s) {
  std::erase_if(followed_, [&](const FollowedBox& one) { return time_s - one.time_s > kFollow_s; });
  Detections before;
  for (const FollowedBox& one : followed_) {
    before.push_back(one.box, 0);
    before.set_class_of_last(one.found_class);
  }
  std::vector<std::optional<std::size_t>> partner(found.size());
  for (const track::Match& match : track::match_greedily(before, found))
    partner[match.detection] = match.prediction;
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!partner[i]) {
      partner[i] = followed_.size();
      followed_.push_back({next_++, {}, 0, found.class_of(i)});
    }
    FollowedBox& one = followed_[*partner[i]];
    one.box = found.boxes[i];
    one.time_s = time_s;
    ids.push_back(one.id);
  }
  return ids;
}

}  // namespace facepipe::verify
