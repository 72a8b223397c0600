// Handles the data that a video's container or its pictures carry besides samples: HDR, stereo,
// spherical pictures, closed captions. Decides which of these data an output keeps.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "video/ffmpeg.h"

namespace facepipe::video {

struct EncoderSetup;

/// Holds side data of a whole video stream, in FFmpeg's layout.
struct StreamData {
  AVPacketSideDataType type;
  std::vector<std::uint8_t> bytes;
};

/// Returns the data that apply to all pictures, for every encoder. They are the stream's own data
/// or, if the stream has none, the data of the first picture.
[[nodiscard]] std::vector<StreamData> stream_data_of(const AVStream& video, const AVFrame& first);

/// Returns a sentence for each of these data (EncoderSetup::stream_data) that neither the format
/// nor the encoder can store, and for the data of Dolby Vision that are lost.
[[nodiscard]] std::vector<std::string> lost_stream_data(const AVStream& video, const AVFrame& first,
                                                        const EncoderSetup& setup,
                                                        const AVOutputFormat& format);

/// Returns the types of data that pictures may have without a notice of loss. The encoder writes
/// these data, or the stream's data include them.
[[nodiscard]] std::set<AVFrameSideDataType> kept_picture_data(const EncoderSetup& setup);

/// Returns a description, for messages, of a picture's data that people would miss. Returns nullptr
/// for all other data, and for Dolby Vision's data, which lost_stream_data() reports.
[[nodiscard]] const char* name_of_picture_data(const AVFrameSideData& data);

/// Returns the option (name and value) with which FFmpeg's encoder `codec` writes the HDR10 data of
/// the stream. `of_user` are the options that the user has set. If one of them has the same name,
/// the returned value is the user's value, followed by the HDR10 data that it lacks. Returns
/// nothing if the stream has no HDR10 data, if the user's value already contains them, or if the
/// encoder has no such option.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> hdr10_options(
    const AVCodec& codec, const std::vector<StreamData>& data,
    const std::vector<std::pair<std::string, std::string>>& of_user);

}  // namespace facepipe::video
