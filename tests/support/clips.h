// Makes small clips with the ffmpeg command, and reads what ffprobe reports about files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace facepipe::test {

/// Holds what a command printed, and its exit code.
struct CommandResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Runs a program without a shell and with an empty standard input.
[[nodiscard]] CommandResult run_command(const std::vector<std::string>& arguments);

/// Runs ffmpeg, which writes `output`. Blanks separate the arguments; quotes have no effect. Throws
/// std::runtime_error with ffmpeg's message if ffmpeg fails.
void ffmpeg(const std::string& arguments, const std::filesystem::path& output);

/// Writes an H.264 video of this many seconds. `source` is the size and the rate of ffmpeg's test
/// picture, for example "64x48:r=25". Each second shows the same frames and begins with a key
/// frame. Only one second is encoded, so a long video is made as fast as a short one.
void make_long_clip(const std::string& source, int seconds, const std::filesystem::path& output);

/// Turns or mirrors a picture (ISO/IEC 14496-12, 6.2.2): x' = a x + c y, y' = b x + d y. FFmpeg and
/// players then move the picture so that it is visible.
struct TrackMatrix {
  int a = 1, b = 0, c = 0, d = 1;
};
inline constexpr TrackMatrix kTurnedClockwise{0, 1, -1, 0};

/// Writes a display matrix (8.3.2) into the header of an MP4 file's first track. FFmpeg 5 and
/// FFmpeg 7 have no common option for this.
void mark_turned(const std::filesystem::path& mp4, const TrackMatrix& matrix = kTurnedClockwise);

/// Returns everything that ffprobe reports about a file: streams, packets, format, chapters.
[[nodiscard]] nlohmann::json probe(const std::filesystem::path& file);

/// Returns the streams of one type: "video", "audio", "subtitle", "data" or "attachment".
[[nodiscard]] std::vector<nlohmann::json> streams_of(const nlohmann::json& probed,
                                                     const std::string& type);

/// Holds a time stamp in seconds, as an exact fraction in lowest terms.
struct Stamp {
  std::int64_t num = 0;
  std::int64_t den = 1;
  friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

/// stamps_of() returns the time stamps of all packets of a stream, sorted. video_stamps() returns
/// the time stamps of a file's first video stream.
[[nodiscard]] std::vector<Stamp> stamps_of(const nlohmann::json& probed, int stream_index);
[[nodiscard]] std::vector<Stamp> video_stamps(const std::filesystem::path& file);

/// Returns the decoded pictures of the first video stream as raw bytes, in the stream's pixel
/// format.
[[nodiscard]] std::string decoded_pictures(const std::filesystem::path& file);

/// Returns the luma of all pictures in order, with 8 bits and turned upright.
[[nodiscard]] std::string decoded_luma(const std::filesystem::path& file);

}  // namespace facepipe::test
