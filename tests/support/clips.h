// Makes small clips with the ffmpeg command, and reads what ffprobe says of files.
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

/// Runs a program without a shell. Its standard input is empty.
[[nodiscard]] CommandResult run_command(const std::vector<std::string>& arguments);

/// Runs ffmpeg, which writes `output`. Blanks separate the arguments; there is no quoting. Throws
/// std::runtime_error with ffmpeg's message if it fails.
void ffmpeg(const std::string& arguments, const std::filesystem::path& output);

/// Turns or mirrors a picture (ISO/IEC 14496-12, 6.2.2): x' = a x + c y, y' = b x + d y. FFmpeg and
/// players shift the result back into view.
struct TrackMatrix {
  int a = 1, b = 0, c = 0, d = 1;
};
inline constexpr TrackMatrix kTurnedClockwise{0, 1, -1, 0};

/// Writes the display matrix (8.3.2) into the header of an MP4 file's first track. FFmpeg 5 and 7
/// have no common option that does it.
void mark_turned(const std::filesystem::path& mp4, const TrackMatrix& matrix = kTurnedClockwise);

/// Returns everything that ffprobe tells of a file: streams, packets, format, chapters.
[[nodiscard]] nlohmann::json probe(const std::filesystem::path& file);

/// Returns the streams of one type ("video", "audio", "subtitle", "data", "attachment").
[[nodiscard]] std::vector<nlohmann::json> streams_of(const nlohmann::json& probed,
                                                     const std::string& type);

/// A time stamp as an exact fraction of a second, in lowest terms.
struct Stamp {
  std::int64_t num = 0;
  std::int64_t den = 1;
  friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

/// Returns the time stamps of all packets of a stream, sorted.
[[nodiscard]] std::vector<Stamp> stamps_of(const nlohmann::json& probed, int stream_index);
[[nodiscard]] std::vector<Stamp> video_stamps(const std::filesystem::path& file);

/// Returns the decoded pictures of the first video stream as raw bytes in its own pixel format.
[[nodiscard]] std::string decoded_pictures(const std::filesystem::path& file);

/// Returns the luma of all pictures in order: 8 bits, upright.
[[nodiscard]] std::string decoded_luma(const std::filesystem::path& file);

}  // namespace facepipe::test
