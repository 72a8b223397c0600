// Makes frames of decoded pictures, and describes what all frames of a run have in common.
#pragma once

#include <cstdint>

#include "core/frame.h"
#include "core/timing.h"
#include "video/ffmpeg.h"
#include "video/frames/frame_timing.h"
#include "video/notices.h"

namespace facepipe::video {

/// A picture from the decoder, and the times of its stages so far (read, decode).
struct DecodedPicture {
  UniqueAVFrame picture;
  Timing timing;
  AVRational time_base{0, 1};  ///< time base of `timing`
  Timing coded;  ///< stamps before the timeline changed them, in the stream's time base: pts may be
                 ///< AV_NOPTS_VALUE, duration 0
  FrameTimes times;
  std::int64_t segment = 0;  ///< segment of its packet
  bool damaged = false;      ///< the decoder has flagged the picture as damaged
};

/// A frame and the times of its stages so far (read, decode).
struct DecodedFrame {
  Frame frame;
  FrameTimes times;
  bool damaged = false;  ///< as DecodedPicture::damaged
};

/// Describes a picture in the memory where stages will work on the frames.
struct PictureFacts {
  Size size;                               ///< stored size, after cropping
  AVPixelFormat format = AV_PIX_FMT_NONE;  ///< format of its samples there
  bool interlaced = false;
};

/// What all frames of a run have in common.
struct FrameTarget {
  Size size;                               ///< size of the stored picture, before `rotate`
  AVPixelFormat format = AV_PIX_FMT_NONE;  ///< format of the frames' samples, in their memory
  Orientation rotate;                      ///< turn that is applied to the pixels; none if upright
  Orientation orientation;                 ///< of the frames after that: stored -> upright

  [[nodiscard]] Size stored() const { return upright_size(size, rotate); }
  [[nodiscard]] Size upright() const { return upright_size(stored(), orientation); }
};

/// Makes frames of one decoder's pictures. Used by one thread. Its frames may outlive it.
class FrameMaker {
 public:
  virtual ~FrameMaker() = default;
  FrameMaker(const FrameMaker&) = delete;
  FrameMaker& operator=(const FrameMaker&) = delete;

  /// Numbers the frames as they come. Throws Error(input) for a picture of another size or format
  /// if such pictures must not be scaled, and Error(device).
  [[nodiscard]] DecodedFrame make(DecodedPicture decoded);

 protected:
  FrameMaker(const AVStream& stream, const FrameTarget& target)
      : stream_(stream), target_(target) {}

  /// Returns the picture as a frame: planes, format, size, colour, device and owner.
  [[nodiscard]] virtual Frame frame_of(UniqueAVFrame picture) = 0;

 private:
  [[nodiscard]] Frame complete(DecodedPicture decoded);
  [[nodiscard]] Rational stored_aspect(const AVFrame& picture) const;

  const AVStream& stream_;
  FrameTarget target_;
  std::int64_t next_index_ = 0;
};

}  // namespace facepipe::video
