// Turns whatever the decoder gives into pictures of one kind: the first picture's size, a format
// that stages and encoder share, upright where the container can't say how to turn it. One of
// another shape than the first lies in the middle, with black beside it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "video/frames/frame_filter.h"
#include "video/frames/frame_maker.h"
#include "video/frames/kept_converters.h"
#include "video/frames/letterbox.h"
#include "video/frames/pictures.h"
#include "video/notices.h"

namespace facepipe::video {

/// Tells of pictures that change in mid-file, whoever makes them like the first. Not thread-safe.
class ChangeWatch {
 public:
  /// @param first            of the stream, which need not come by here
  /// @param scale_on_change  false: a change of size or format is Error(input)
  ChangeWatch(const PictureKind& first, bool scale_on_change, std::string input, Notices& notices)
      : first_(first),
        scale_on_change_(scale_on_change),
        input_(std::move(input)),
        notices_(notices) {}

  /// Whether a picture has another size or format than the first.
  bool is_changed(const PictureKind& picture);

 private:
  PictureKind first_;
  bool scale_on_change_;
  std::string input_;
  Notices& notices_;
};

/// Makes pictures in host memory those of a target, whose orientation it doesn't look at. Not
/// thread-safe.
class Normalizer {
 public:
  /// @param first, scale_on_change  as ChangeWatch's
  /// @param kept  has converters, and gets this one's; nullptr: they are made for it alone
  /// @param threads  FrameFilter's
  Normalizer(const FrameTarget& target, const PictureKind& first, bool scale_on_change,
             std::string input, Notices& notices, std::shared_ptr<KeptConverters> kept = nullptr,
             int threads = 1);
  ~Normalizer();
  Normalizer(const Normalizer&) = delete;
  Normalizer& operator=(const Normalizer&) = delete;

  /// The picture itself where it already is what is wanted, else a converted one.
  [[nodiscard]] UniqueAVFrame apply(UniqueAVFrame picture);

 private:
  [[nodiscard]] UniqueAVFrame convert(UniqueAVFrame picture);
  void take_converter(const AVFrame& picture);
  void give_back() noexcept;
  [[nodiscard]] PictureArea area_for(const PictureKind& from) const;
  [[nodiscard]] std::string chain_for(AVPixelFormat source, Size size) const;
  [[nodiscard]] std::unique_ptr<PictureConverter> new_converter() const;

  FrameTarget target_;
  Rational pixel_;  ///< of the first picture
  ChangeWatch changes_;
  std::shared_ptr<KeptConverters> kept_;
  int threads_;
  ConverterKey key_;
  PictureArea area_;                             ///< of that key's pictures, once they are turned
  std::unique_ptr<PictureConverter> converter_;  ///< of that key
};

}  // namespace facepipe::video
