// Converts the decoder's pictures to pictures of one kind. They have the first picture's size and a
// format that the stages and the encoder can use. They are upright if the container can't store an
// orientation. If a picture has another aspect ratio than the first picture, it is put in the
// middle, with black bars beside it.
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

/// Reports pictures whose size or format changes in the middle of a file. The caller must convert
/// them to the first picture's kind. Not thread-safe.
class ChangeWatch {
 public:
  /// @param first            kind of the stream's first picture; for this picture, is_changed()
  ///                         need not be called
  /// @param scale_on_change  false: a change of size or format is Error(input)
  ChangeWatch(const PictureKind& first, bool scale_on_change, std::string input, Notices& notices)
      : first_(first),
        scale_on_change_(scale_on_change),
        input_(std::move(input)),
        notices_(notices) {}

  /// Returns whether a picture has another size or format than the first picture. Throws
  /// Error(input) for such a picture if it must not be scaled.
  bool is_changed(const PictureKind& picture);

 private:
  PictureKind first_;
  bool scale_on_change_;
  std::string input_;
  Notices& notices_;
};

/// Converts pictures in host memory to the kind that `target` describes. Ignores
/// target.orientation. Not thread-safe.
class Normalizer {
 public:
  /// @param first, scale_on_change  as for ChangeWatch
  /// @param kept  stores converters for later use; nullptr: this object makes its own converters
  /// @param threads  as for FrameFilter
  Normalizer(const FrameTarget& target, const PictureKind& first, bool scale_on_change,
             std::string input, Notices& notices, std::shared_ptr<KeptConverters> kept = nullptr,
             int threads = 1);
  ~Normalizer();
  Normalizer(const Normalizer&) = delete;
  Normalizer& operator=(const Normalizer&) = delete;

  /// Returns the picture itself if it already is of the wanted kind, otherwise a converted picture.
  [[nodiscard]] UniqueAVFrame apply(UniqueAVFrame picture);

 private:
  [[nodiscard]] UniqueAVFrame convert(UniqueAVFrame picture);
  void take_converter(const AVFrame& picture);
  void give_back() noexcept;
  [[nodiscard]] PictureArea area_for(const PictureKind& from) const;
  [[nodiscard]] std::string chain_for(AVPixelFormat source, Size size) const;
  [[nodiscard]] std::unique_ptr<PictureConverter> new_converter() const;

  FrameTarget target_;
  Rational pixel_;  ///< shape of the first picture's pixels
  ChangeWatch changes_;
  std::shared_ptr<KeptConverters> kept_;
  int threads_;
  ConverterKey key_;
  PictureArea area_;                             ///< where the pictures lie, after turning
  std::unique_ptr<PictureConverter> converter_;  ///< its key is `key_`
};

}  // namespace facepipe::video
