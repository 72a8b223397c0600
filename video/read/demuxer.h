// Opens an input and reads its packets; picks the video stream to work on. Decodes nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/limits.h"
#include "video/ffmpeg.h"
#include "video/read/input_access.h"
#include "video/read/picture_file.h"

namespace facepipe::video {

/// One opened input. Not thread-safe. A blocked open or read ends when `stop` is requested, and a
/// network input that says nothing for 30 seconds is given up.
class Demuxer {
 public:
  /// @param url a path or anything with "://" that FFmpeg opens; where the path is a FIFO's, its
  ///        first data are waited for
  /// @param max_pixels of a picture; a stream of larger ones is refused before one is decoded
  /// Errors: Error(input): can't be opened, names other files, no media, no video stream, absurd
  /// picture size, a picture made of tiles, an AVIF or HEIF picture from a pipe; Stopped.
  Demuxer(std::string url, std::stop_token stop, References references = References::refuse,
          std::int64_t max_pixels = kDefaultMaxPixels);
  Demuxer(const Demuxer&) = delete;
  Demuxer& operator=(const Demuxer&) = delete;

  /// Makes another stream of pictures the video. Called before anything is read. Errors:
  /// Error(input) for pictures that are too large, or whose size can't be found.
  void work_on(int stream_index);

  /// The next packet of any stream; nullptr at the end, on a read error, or when stopped. Throws
  /// std::bad_alloc.
  [[nodiscard]] UniqueAVPacket read();

  /// Nobody wants the packets of this stream, which isn't the video: errors in it end nothing.
  /// Called before the first read(). Where only the ends of all streams tell whether the file was
  /// cut off (shortfall()), the stream is read all the same.
  void discard(int stream_index);

  /// From here on reading ends when this is requested, instead of what the constructor was given.
  void stop_with(std::stop_token stop) { stop_ = std::move(stop); }

  [[nodiscard]] const AVFormatContext& format() const { return *context_; }
  [[nodiscard]] AVFormatContext& format() { return *context_; }
  [[nodiscard]] AVStream& video() const { return *context_->streams[video_index_]; }
  [[nodiscard]] int video_index() const { return video_index_; }
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] std::int64_t max_pixels() const { return max_pixels_; }
  /// As InputAccess::identity().
  [[nodiscard]] const std::optional<FileIdentity>& identity() const { return access_.identity(); }

  /// A stream that wasn't there when the input was opened: it begins behind the part in which
  /// streams are looked for.
  [[nodiscard]] bool is_late(int stream_index) const { return stream_index >= first_late_; }
  /// A single picture: no motion, no sound.
  [[nodiscard]] bool is_still_image() const;
  /// A still image in a file, not of a pipe.
  [[nodiscard]] bool is_one_picture() const;
  /// How the file says that its one picture is stored, where that isn't FFmpeg's business: of AVIF
  /// and HEIF known at once, of other still images with their packet; none for all else.
  [[nodiscard]] std::optional<Orientation> orientation() const { return picture_.orientation; }
  /// What the input shows beside the pictures that will be decoded, and not in a stream of its own:
  /// a sentence each. Known with the first packet of the video.
  [[nodiscard]] std::vector<std::string> left_out() const;
  /// Each packet holds the transparency of its picture in a stream of its own, as WebM has it for
  /// VP8 and VP9: not all decoders give it.
  [[nodiscard]] bool has_transparency_beside() const;
  /// The container carries no time stamps (raw H.264, for one).
  [[nodiscard]] bool lacks_time_stamps() const;
  /// Where seconds count from: the first stamp of the input, which may be negative; zero where
  /// nothing but a little sound comes before that, which only primes a decoder.
  [[nodiscard]] std::int64_t origin_us() const;
  /// Average frames a second; 25 where the input doesn't say.
  [[nodiscard]] Rational frame_rate() const;
  /// As the header says, in microseconds; 0 where it doesn't.
  [[nodiscard]] std::int64_t duration_us() const;
  /// Frames to expect; 0 if unknown.
  [[nodiscard]] std::int64_t expected_frames() const;
  /// Why reading ended where it wasn't the end of the file; empty otherwise.
  [[nodiscard]] const std::string& read_error() const { return read_error_; }
  /// Where that was the file, the disk or the network, whose bytes may come another time, and not
  /// what the bytes say: Error(input) with the file's name and the reason.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  /// What the container promised and the packets read so far didn't keep; empty if nothing.
  /// Meaningful once read() has returned nullptr, and when everything was read from the start.
  [[nodiscard]] std::string shortfall() const;

 private:
  static int interrupt(void* self);
  void end_reading(int code);
  void open();
  [[nodiscard]] int find_streams();
  void take_png_size();
  void look_into_boxes();
  void look_into(const AVPacket& packet);
  void choose_video();
  void take_video(int stream_index);
  void check_size() const;
  void restart_deadline();
  void account(const AVPacket& packet);
  [[nodiscard]] bool counts_video_packets() const;
  [[nodiscard]] bool promises_duration() const;
  [[nodiscard]] bool is_avi() const;
  [[nodiscard]] std::string missing() const;
  [[nodiscard]] std::string missing_packets() const;
  [[nodiscard]] std::string missing_of_index(int promised) const;
  [[nodiscard]] std::string missing_of_avi() const;

  std::string url_;
  std::stop_token stop_;
  std::int64_t max_pixels_;
  std::chrono::steady_clock::time_point deadline_;
  InputAccess access_;
  UniqueInputContext context_;  // after stop_, deadline_ and access_, which its callbacks read
  int video_index_ = -1;
  int first_late_ = 0;        // the number of streams that were found at once
  std::vector<int> indexed_;  // packets that each stream's index listed when it was opened
  std::int64_t video_packets_ = 0;
  std::int64_t last_end_us_ = AV_NOPTS_VALUE;
  std::int64_t next_video_dts_ = 0;  // behind the last packet of the video
  std::int64_t last_place_ = -1;     // in the file, of the packet that lies furthest behind
  bool torn_packet_ = false;         // the file ended within one
  std::string read_error_;
  std::optional<Error> failure_;
  bool discarded_ = false;
  PictureFile picture_;           // of a still image
  bool still_in_boxes_ = false;   // AVIF or HEIF, of which FFmpeg makes a video
  bool has_other_layer_ = false;  // HEVC's
};

}  // namespace facepipe::video
