// Converters of pictures kept from one input to the next.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "core/recently_used.h"
#include "video/frames/frame_filter.h"
#include "video/frames/picture_converter.h"

namespace facepipe::video {

/// All that a converter is made by: two of equal keys make the same of a picture.
struct ConverterKey {
  PictureKind from;
  std::string chain;  ///< FrameFilter's
  /// Of the first picture, where FFmpeg's filters look at it.
  AVChromaLocation chroma = AVCHROMA_LOC_UNSPECIFIED;
  AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
  AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
  Rational sample_aspect;
  Size whole{};  ///< of made pictures where black lies beside what the chain makes; else 0x0
  friend bool operator==(const ConverterKey&, const ConverterKey&) = default;
};

/// To make FFmpeg's filters ready takes 0.5 ms on an AMD EPYC, 0.8 for grey pictures, as long as to
/// convert a picture of 800x564. Keeps those that were given back last: 16, and what
/// they hold of pictures, 64 MiB. Thread-safe.
class KeptConverters {
 public:
  /// One of that key, which nobody else has; nullptr where none is kept.
  [[nodiscard]] std::unique_ptr<PictureConverter> take(const ConverterKey& key);
  /// One that has not thrown.
  void give_back(ConverterKey key, std::unique_ptr<PictureConverter> converter);

 private:
  std::mutex mutex_;
  RecentlyUsed<ConverterKey, std::unique_ptr<PictureConverter>> kept_;
};

}  // namespace facepipe::video
