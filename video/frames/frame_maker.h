// Makes frames from decoded pictures, and describes the properties that all frames of a run share.
#pragma once

#include <cstdint>

#include "core/frame.h"
#include "core/timing.h"
#include "video/ffmpeg.h"
#include "video/frames/frame_timing.h"
#include "video/notices.h"

namespace facepipe::video {

/// Holds a picture from the decoder, and the times of its stages so far (read, decode).
struct DecodedPicture {
  UniqueAVFrame picture;
  Timing timing;
  AVRational time_base{0, 1};  ///< time base of `timing`
  Timing coded;  ///< stamps in the stream's time base, before the timeline changed them; pts can be
                 ///< AV_NOPTS_VALUE, and duration can be 0
  FrameTimes times;
  std::int64_t segment = 0;  ///< the segment that its packet belongs to
  bool damaged = false;      ///< the decoder has flagged the picture as damaged
};

/// Holds a frame and the times of its stages so far (read, decode).
struct DecodedFrame {
  Frame frame;
  FrameTimes times;
  bool damaged = false;  ///< as DecodedPicture::damaged
};

/// Describes a picture in the memory where the stages will work on it.
struct PictureFacts {
  Size size;                               ///< stored size, after cropping
  AVPixelFormat format = AV_PIX_FMT_NONE;  ///< format of the samples in that memory
  bool interlaced = false;
};

/// Holds the properties that all frames of a run share.
struct FrameTarget {
  Size size;                               ///< size of the stored picture, before `rotate`
  AVPixelFormat format = AV_PIX_FMT_NONE;  ///< format of the frames' samples, in their memory
  Orientation rotate;                      ///< how the pixels are turned, if at all
  Orientation orientation;                 ///< how the frames must be turned further to be upright

  [[nodiscard]] Size stored() const { return upright_size(size, rotate); }
  [[nodiscard]] Size upright() const { return upright_size(stored(), orientation); }
};

/// Makes frames from one decoder's pictures. Only one thread may use it. Its frames may outlive it.
class FrameMaker {
 public:
  virtual ~FrameMaker() = default;
  FrameMaker(const FrameMaker&) = delete;
  FrameMaker& operator=(const FrameMaker&) = delete;

  /// Returns a frame and gives it the next number. Throws Error(input) if the picture has another
  /// size or format and must not be scaled. Also throws Error(device).
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
