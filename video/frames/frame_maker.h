// From decoded pictures to frames: what all frames of a run are, and what makes them so.
#pragma once

#include <cstdint>

#include "core/frame.h"
#include "core/timing.h"
#include "video/ffmpeg.h"
#include "video/frames/frame_timing.h"
#include "video/notices.h"

namespace facepipe::video {

/// A picture as the decoder gave it, and the times of its stages so far (read, decode).
struct DecodedPicture {
  UniqueAVFrame picture;
  Timing timing;
  AVRational time_base{0, 1};  ///< of `timing`
  Timing coded;  ///< before the timeline, in the stream's time base: pts may be AV_NOPTS_VALUE,
                 ///< duration 0
  FrameTimes times;
  std::int64_t segment = 0;  ///< of the packet
  bool damaged = false;      ///< the decoder has flagged it
};

/// A frame and the times of its stages so far (read, decode).
struct DecodedFrame {
  Frame frame;
  FrameTimes times;
  bool damaged = false;  ///< DecodedPicture::damaged
};

/// What a picture is like in the memory where frames will be worked on.
struct PictureFacts {
  Size size;                               ///< as stored, cropped
  AVPixelFormat format = AV_PIX_FMT_NONE;  ///< of its samples there
  bool interlaced = false;
};

/// What all frames of a run are.
struct FrameTarget {
  Size size;                               ///< of the stored picture, before `rotate`
  AVPixelFormat format = AV_PIX_FMT_NONE;  ///< of the frames' samples, in their memory
  Orientation rotate;                      ///< applied to the pixels; upright: none
  Orientation orientation;                 ///< that the frames then have: stored -> upright

  [[nodiscard]] Size stored() const { return upright_size(size, rotate); }
  [[nodiscard]] Size upright() const { return upright_size(stored(), orientation); }
};

/// Makes frames of one decoder's pictures. Used by one thread; its frames may outlive it.
class FrameMaker {
 public:
  virtual ~FrameMaker() = default;
  FrameMaker(const FrameMaker&) = delete;
  FrameMaker& operator=(const FrameMaker&) = delete;

  /// Frames are numbered as they come. Errors: Error(input) for a picture of another size or format
  /// where that is not to be scaled; device.
  [[nodiscard]] DecodedFrame make(DecodedPicture decoded);

 protected:
  FrameMaker(const AVStream& stream, const FrameTarget& target)
      : stream_(stream), target_(target) {}

  /// The picture as a frame: planes, format, size, colour, device and owner.
  [[nodiscard]] virtual Frame frame_of(UniqueAVFrame picture) = 0;

 private:
  [[nodiscard]] Frame complete(DecodedPicture decoded);
  [[nodiscard]] Rational stored_aspect(const AVFrame& picture) const;

  const AVStream& stream_;
  FrameTarget target_;
  std::int64_t next_index_ = 0;
};

}  // namespace facepipe::video
