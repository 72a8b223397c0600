// Opens an input, reads its packets, and chooses the video stream to work on. It decodes nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/limits.h"
#include "video/ffmpeg.h"
#include "video/read/input_access.h"
#include "video/read/kept_promises.h"
#include "video/read/picture_file.h"
#include "video/read/source.h"
#include "video/read/worker/input_workers.h"

namespace facepipe::video {

class RemoteInput;
struct InputFacts;

/// Owns one opened input, which is read once. Not thread-safe. A blocked open or read ends when
/// `stop` is requested. Reading fails if a network input sends nothing for 30 seconds.
///
/// With workers, another process opens and reads the input. This object then describes it, and
/// passes packets on. It refuses everything but files.
class Demuxer final : public Source {
 public:
  /// @param url         a path, or anything with "://" that FFmpeg opens; for the path of a FIFO,
  ///                    the constructor waits for its first data
  /// @param max_pixels  the most pixels of a picture; a stream of larger pictures is refused before
  ///                    one is decoded
  /// @param workers     starts the process that reads the input; nullptr: this process reads it
  /// Throws Error(input) if the input can't be opened (PassingError if a disk, a server or the
  /// network fails), names other files, is not a media file, has no video stream or an absurd
  /// picture size, is made of tiles, or is an AVIF or HEIF picture from a pipe. Throws Stopped.
  Demuxer(std::string url, std::stop_token stop, References references = References::refuse,
          std::int64_t max_pixels = kDefaultMaxPixels, InputWorkers* workers = input_workers());
  ~Demuxer() override;
  Demuxer(const Demuxer&) = delete;
  Demuxer& operator=(const Demuxer&) = delete;

  /// Chooses another stream of pictures as the video. Must be called before anything is read.
  /// Throws Error(input) for pictures that are too large, or whose size can't be found.
  void work_on(int stream_index);

  [[nodiscard]] Demuxer& demuxer() override { return *this; }
  [[nodiscard]] UniqueAVPacket read() override;

  /// Says that nobody wants the packets of this stream, which isn't the video. Errors in it then
  /// don't end reading. Must be called before the first read(). The stream is still read if
  /// shortfall() needs the ends of all streams to see whether the file was cut off.
  void discard(int stream_index);

  /// Moves to where reading can go on, at `latest` or before, in the units of FFmpeg's
  /// avformat_seek_file(). Returns false if this is impossible.
  [[nodiscard]] bool seek(int stream_index, std::int64_t latest, int flags);

  /// Says that the packets of the video so far, with those that seek() has passed over, are so
  /// many. shortfall() then counts them all. Only for an input that this process reads.
  void has_read(std::int64_t packets) { promises_.has_read(packets); }

  void stop_with(std::stop_token stop) override;

  [[nodiscard]] const AVFormatContext& format() const { return *context_; }
  [[nodiscard]] AVFormatContext& format() { return *context_; }
  [[nodiscard]] AVStream& video() const { return *context_->streams[video_index_]; }
  [[nodiscard]] int video_index() const { return video_index_; }
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] std::int64_t max_pixels() const { return max_pixels_; }
  [[nodiscard]] const std::optional<FileIdentity>& identity() const { return access_.identity(); }

  /// Returns whether FFmpeg found this stream only after the input was opened. Such a stream begins
  /// after the part of the file in which FFmpeg looks for streams.
  [[nodiscard]] bool is_late(int stream_index) const { return stream_index >= first_late_; }
  /// Returns whether the input is a single picture: no motion, no sound.
  [[nodiscard]] bool is_still_image() const;
  /// Returns whether the input is a still image in a file, and not from a pipe.
  [[nodiscard]] bool is_one_picture() const;
  /// Returns the orientation that the file states for its only picture, if FFmpeg doesn't report
  /// it. For AVIF and HEIF, it is known at once; for other still images, after their packet was
  /// read. Returns nullopt for all other inputs.
  [[nodiscard]] std::optional<Orientation> orientation() const;
  /// Returns a sentence for each thing in the input that won't be decoded and isn't a separate
  /// stream, for example further pictures of a file, or another layer of HEVC. The list is complete
  /// when the first packet of the video has been read.
  [[nodiscard]] std::vector<std::string> left_out() const;
  /// Returns whether each packet contains the transparency of its picture as a separate coded
  /// picture, as in WebM with VP8 and VP9. Not all decoders decode it.
  [[nodiscard]] bool has_separate_transparency() const;
  /// Returns whether the container carries no time stamps (for example raw H.264).
  [[nodiscard]] bool lacks_time_stamps() const;
  /// Returns the time from which seconds are counted: the first stamp of the input, which can be
  /// negative. Returns 0 if at most 0.2 seconds of sound come before time 0, because such sound
  /// only starts a decoder.
  [[nodiscard]] std::int64_t origin_us() const;
  /// Returns the average number of frames a second; 25 if the input doesn't say.
  [[nodiscard]] Rational frame_rate() const;
  /// Returns the duration that the header states, in microseconds; 0 if it states none.
  [[nodiscard]] std::int64_t duration_us() const;
  /// Returns the number of frames to expect; 0 if unknown.
  [[nodiscard]] std::int64_t expected_frames() const;
  [[nodiscard]] const std::string& read_error() const override;
  [[nodiscard]] const std::optional<Error>& failure() const override;
  [[nodiscard]] std::string shortfall() const override;

  /// Returns the process that reads the input; nullptr if this process does.
  [[nodiscard]] RemoteInput* remote() const { return remote_.get(); }
  /// Returns what a worker tells of its demuxer. The shortfall is part of it only if `ended`.
  [[nodiscard]] InputFacts facts(bool ended) const;

 private:
  static int interrupt(void* self);
  void end_reading(int code);
  [[nodiscard]] UniqueInputContext open(InputWorkers* workers);
  [[nodiscard]] UniqueInputContext open_here();
  void check_opening(int code) const;
  void find_streams();
  void take_png_size();
  void look_into_boxes();
  void examine(const AVPacket& packet);
  void choose_video();
  void take_video(int stream_index);
  void check_size() const;
  void restart_deadline();

  std::string url_;
  std::stop_token stop_;
  std::int64_t max_pixels_;
  std::chrono::steady_clock::time_point deadline_;
  InputAccess access_;
  std::unique_ptr<RemoteInput> remote_;
  // context_ must be declared after stop_, deadline_ and access_, because its callbacks read them.
  UniqueInputContext context_;  // with remote_, it only describes the input
  KeptPromises promises_;
  int video_index_ = -1;
  int first_late_ = 0;  // streams from this index on were found only after the opening
  std::string read_error_;
  std::optional<Error> failure_;
  bool examined_ = false;         // examine() has examined the video's first packet
  PictureFile picture_;           // facts about a still image
  bool still_in_boxes_ = false;   // the input is AVIF or HEIF, which FFmpeg treats as a video
  bool has_other_layer_ = false;  // HEVC: another layer than the base layer was found
};

}  // namespace facepipe::video
