#include "app/review/review_pictures.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace facepipe::app {
namespace {

constexpr std::size_t kMostShown = 32;  // frames that are kept
constexpr std::int64_t kMostShownBytes = 32 << 20;
constexpr std::size_t kMostBoxPictureBytes = std::size_t{128} << 20;
constexpr int kBoxPictureSide = 96;
constexpr float kAround = 0.35F;  ///< what a picture shows on each side of a face, as its share
// Boxes are cut out of a picture of this size. It has enough pixels for a small face.
constexpr int kLongestSide = 2560;
// Two threads leave the other processors to the frames, for which a person waits.
constexpr int kBoxThreads = 2;

std::string text_of_bytes(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Returns a square around the box.
Box surroundings(const Box& box) {
  const float half = std::max(box.width(), box.height()) * (0.5F + kAround);
  const float x = (box.x1 + box.x2) / 2;
  const float y = (box.y1 + box.y2) / 2;
  return {x - half, y - half, x + half, y + half};
}

ReviewInput with_threads(ReviewInput input, int threads) {
  input.threads = threads;
  return input;
}

}  // namespace

video::UprightPicture picture_for_boxes(const Frame& frame) { return {frame, kLongestSide}; }

std::string picture_of_box(const video::UprightPicture& picture, const Box& box) {
  return text_of_bytes(picture.jpeg_of_part(surroundings(box), kBoxPictureSide));
}

std::string picture_of_frame(const Frame& frame, int longest_side) {
  return text_of_bytes(video::UprightPicture(frame, longest_side).jpeg());
}

FramePictures::FramePictures(const ReviewInput& input, std::stop_token stop)
    : exact_(input, stop), facts_(exact_.facts()), keys_(with_threads(input, 1), std::move(stop)) {}

FramePicture FramePictures::get(std::int64_t pts, FrameChoice choice, int longest_side) {
  const auto picture = [&](const Frame& frame) {
    return FramePicture{frame.pts, picture_of_frame(frame, longest_side)};
  };
  if (choice == FrameChoice::key) {
    const std::scoped_lock lock(key_mutex_);
    return picture(keys_.key_frame_before(pts));
  }
  const std::scoped_lock lock(exact_mutex_);
  if (choice == FrameChoice::after) return picture(exact_.after(pts));
  const std::int64_t wanted = choice == FrameChoice::before ? pts - 1 : pts;
  if (const FramePicture* const known = shown_.find({wanted, longest_side})) return *known;
  FramePicture made = picture(exact_.at(wanted));
  shown_.add({wanted, longest_side}, made, static_cast<std::int64_t>(made.jpeg.size()));
  shown_.keep_at_most(kMostShown, kMostShownBytes);
  return made;
}

BoxPictures::BoxPictures(ReviewInput input, const std::vector<track::FileBox>& boxes,
                         std::stop_token stop)
    : search_(with_threads(std::move(input), kBoxThreads), std::move(stop)) {
  for (const track::FileBox& box : boxes) wanted_[box.pts].push_back(box.box);
}

std::string BoxPictures::get(const track::FileBox& box) {
  const Key key = key_of(box);
  if (std::string known = made_before(key); !known.empty()) return known;
  const std::scoped_lock lock(search_mutex_);
  // Another call may have made it while this one waited.
  if (std::string known = made_before(key); !known.empty()) return known;
  const Frame& frame = search_.at(box.pts, [this](const Frame& passed) { take(passed); });
  if (std::string known = made_before(key); !known.empty()) return known;
  std::string made = picture_of_box(picture_for_boxes(frame), box.box);
  keep(key, made);
  return made;
}

BoxPictures::Key BoxPictures::key_of(const track::FileBox& box) {
  return {box.pts, box.box.x1, box.box.y1, box.box.x2, box.box.y2};
}

/// Makes all pictures of a frame that will probably be wanted.
void BoxPictures::take(const Frame& frame) {
  const auto found = wanted_.find(frame.pts);
  if (found == wanted_.end()) return;
  const video::UprightPicture picture = picture_for_boxes(frame);
  for (const Box& box : found->second) keep(key_of({frame.pts, box}), picture_of_box(picture, box));
  wanted_.erase(found);
}

void BoxPictures::keep(const Key& key, std::string picture) {
  const std::scoped_lock lock(pictures_mutex_);
  if (bytes_ + picture.size() > kMostBoxPictureBytes) {
    pictures_.clear();  // the browser asks again for what it still shows
    bytes_ = 0;
  }
  bytes_ += picture.size();
  pictures_[key] = std::move(picture);
}

std::string BoxPictures::made_before(const Key& key) {
  const std::scoped_lock lock(pictures_mutex_);
  const auto found = pictures_.find(key);
  return found == pictures_.end() ? std::string() : found->second;
}

}  // namespace facepipe::app
