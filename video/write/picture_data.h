// What a video carries beside its samples, in its container or in its pictures: HDR, stereo,
// spherical pictures, closed captions. What of it an output keeps.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "video/ffmpeg.h"

namespace facepipe::video {

struct EncoderSetup;

/// Side data of a whole video stream, as FFmpeg lays it out.
struct StreamData {
  AVPacketSideDataType type;
  std::vector<std::uint8_t> bytes;
};

/// What holds for all pictures whoever encodes them: the stream's own, or where it has none what
/// its first picture says.
[[nodiscard]] std::vector<StreamData> stream_data_of(const AVStream& video, const AVFrame& first);

/// Tells which of these data (EncoderSetup::stream_data) neither the format nor the encoder can
/// hold, and what is lost of Dolby Vision: a sentence each.
[[nodiscard]] std::vector<std::string> lost_stream_data(const AVStream& video, const AVFrame& first,
                                                        const EncoderSetup& setup,
                                                        const AVOutputFormat& format);

/// What pictures may carry without a loss that is still to be told: the encoder writes it, or it is
/// among the stream's data.
[[nodiscard]] std::set<AVFrameSideDataType> kept_picture_data(const EncoderSetup& setup);

/// Data of a picture that people would miss: what they are, for messages. nullptr for all others,
/// and for Dolby Vision's, which lost_stream_data() tells of.
[[nodiscard]] const char* name_of_picture_data(const AVFrameSideData& data);

/// The options of FFmpeg's encoder `codec` that make it write the HDR10 data in the stream's data:
/// name and value. Those that the user gave for the same name are part of the value. Empty where
/// there are no such data, the user has set them, or the encoder has no such options.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> hdr10_options(
    const AVCodec& codec, const std::vector<StreamData>& data,
    const std::vector<std::pair<std::string, std::string>>& of_user);

}  // namespace facepipe::video
