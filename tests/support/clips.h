// Small clips made by the ffmpeg command, and what ffprobe says of files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace facepipe::test {

/// What a command printed, and how it ended.
struct CommandResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Runs a program without a shell, with nothing on standard input.
[[nodiscard]] CommandResult run_command(const std::vector<std::string>& arguments);

/// Runs ffmpeg with arguments as one would type them (separated by blanks, no quoting), writing
/// `output`. Throws std::runtime_error with ffmpeg's words if it fails.
void ffmpeg(const std::string& arguments, const std::filesystem::path& output);

/// How a picture is turned or mirrored (ISO/IEC 14496-12, 6.2.2): x' = a x + c y, y' = b x + d y.
/// FFmpeg and players shift the result back into view.
struct TrackMatrix {
  int a = 1, b = 0, c = 0, d = 1;
};
inline constexpr TrackMatrix kTurnedClockwise{0, 1, -1, 0};

/// Writes the matrix into the header of an MP4 file's first track, by which it is to be shown
/// (8.3.2). FFmpeg 5 and 7 have no common option that does it.
void mark_turned(const std::filesystem::path& mp4, const TrackMatrix& matrix = kTurnedClockwise);

/// Everything that ffprobe tells of a file: streams, packets, format, chapters.
[[nodiscard]] nlohmann::json probe(const std::filesystem::path& file);

/// The streams of one type ("video", "audio", "subtitle", "data", "attachment").
[[nodiscard]] std::vector<nlohmann::json> streams_of(const nlohmann::json& probed,
                                                     const std::string& type);

/// A time stamp as an exact fraction of a second, in lowest terms.
struct Stamp {
  std::int64_t num = 0;
  std::int64_t den = 1;
  friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

/// All packets' time stamps of a stream, sorted.
[[nodiscard]] std::vector<Stamp> stamps_of(const nlohmann::json& probed, int stream_index);
[[nodiscard]] std::vector<Stamp> video_stamps(const std::filesystem::path& file);

/// Decoded pictures of the first video stream as raw bytes in its own pixel format.
[[nodiscard]] std::string decoded_pictures(const std::filesystem::path& file);

/// The luma of all pictures, 8 bits, upright, one behind the other.
[[nodiscard]] std::string decoded_luma(const std::filesystem::path& file);

}  // namespace facepipe::test
