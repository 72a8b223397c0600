#include "verify/lone_pictures.h"

#include <cstddef>

#include "verify/grey.h"

namespace facepipe::verify {

void LonePictures::push(const Frame& frame, std::int64_t number, double time_s,
                        const std::stop_token& stop) {
  const Detections all = looks_.find_in_all_planes(frame, stop);
  Detections faces;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (looks_.scales().of(all.class_of(i)).usual(all.scores[i]) >= kSurelyFace)
      faces.push_back(all.boxes[i], all.scores[i], all, i);
  const std::vector<std::int64_t> ids = follower_.follow(faces, time_s);
  if (faces.size() == 0) return;
  const Grey picture = make_grey(frame);
  constexpr DetailLeft kAll{0, 0, 1};
  for (std::size_t i = 0; i < faces.size(); ++i)
    findings_.add(
        FindingKind::leak, FindingSource::other_picture, ids[i],
        {number, time_s, faces.boxes[i], faces.scores[i], kAll, Disguise::none, faces.class_of(i)},
        picture, picture.size);
}

}  // namespace facepipe::verify
