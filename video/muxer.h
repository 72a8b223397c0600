// Writes packets of all streams into one file that appears under its name when it is complete.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/output_file.h"
#include "video/demuxer.h"
#include "video/image_sequence.h"
#include "video/notices.h"
#include "video/output_io.h"
#include "video/streams.h"
#include "video/subtitles.h"

namespace facepipe {

/// What the muxer must know of the encoded video.
struct VideoStreamInfo {
  UniqueCodecParameters parameters;
  AVRational time_base{0, 1};
  Rational frame_rate;
  Rational sample_aspect{1, 1};
  bool keep_rotation = true;  ///< the input's display matrix still holds
};

struct MuxerOptions {
  std::filesystem::path output;
  const AVOutputFormat* format = nullptr;
  std::int64_t offset_us = 0;  ///< subtracted from every stamp
  /// Names of the only tags that are kept, in any case; those of languages and of time are kept
  /// always. None: all tags are.
  std::optional<std::vector<std::string>> kept_tags;
  bool sequence = false;  ///< each picture gets a file of its own, by `output`'s number
  ExistingTarget existing = ExistingTarget::refuse;
  std::stop_token stop;  ///< ends waits for the reader of a FIFO
};

/// Writes to a temporary file beside the output (core/output_file.h), pictures of a sequence to one
/// each (ImageSequence). Used by one thread at a time. Unless finish() or finish_partial() has been
/// called, the destructor removes what was written.
///
/// A thread of its own writes the file: a call returns when its bytes are formatted, and what they
/// meet at the file is told by a later one, by drain() at the latest.
///
/// On a disk that is nearly full there is always room left for what the muxer must still write to
/// finish the file; full() tells when no more packets are taken.
class Muxer {
 public:
  /// Opens the file, makes the streams that `streams` plans, one for each of the input's, and
  /// writes the header. Errors: Error(output), for a FIFO also where the format must be able to go
  /// back.
  Muxer(const Demuxer& input, MuxerOptions options, std::vector<StreamPlan> streams,
        const VideoStreamInfo& video, Notices& notices);
  Muxer(const Muxer&) = delete;
  Muxer& operator=(const Muxer&) = delete;

  /// A packet of the encoded video, stamps in VideoStreamInfo::time_base. False if it was dropped
  /// because the disk is full. Errors: Error(output); also where a second picture comes for a file
  /// that holds one.
  bool write_video(UniqueAVPacket packet);

  /// A packet of another stream of the input.
  void write_side(UniqueAVPacket packet);

  /// Waits until all is in the file, but for packets that FFmpeg holds back to interleave them.
  /// Errors: Error(output), unless full() tells why.
  void drain();

  /// Packets of the video that were taken, but will not be in the file, because it took no more:
  /// after drain(). Of some 20 bytes that containers add to each, none are counted.
  [[nodiscard]] std::int64_t left_out() const { return std::ssize(on_their_way_); }

  /// Each picture has a file of its own.
  [[nodiscard]] bool is_sequence() const { return sequence_.has_value(); }

  /// Why the disk takes no more, an errno; 0 while it does, as far as it has been written.
  [[nodiscard]] int full() const { return sequence_ ? sequence_->full() : io_->queue().full(); }

  /// Completes the file and gives it its name.
  void finish();
  /// Completes the file under a partial name, which is returned.
  std::filesystem::path finish_partial();

 private:
  struct Output {
    AVStream* stream = nullptr;
    std::unique_ptr<SubtitleConverter> subtitles;
    std::int64_t last_dts = AV_NOPTS_VALUE;
  };

  void open_file();
  void make_streams(const VideoStreamInfo& video);
  void add_video(const VideoStreamInfo& video);
  void add_copy(const AVStream& from, const StreamPlan& plan);
  void add_cover(const AVStream& from);
  void copy_chapters();
  void copy_tags(AVDictionary** to, const AVDictionary* from);
  void tell_left_out();
  void write_header(const VideoStreamInfo& video);
  void fail_in_header(int code);
  bool write(Output& output, UniqueAVPacket packet, AVRational time_base);
  void reserve_for(const AVPacket& packet);
  void forget_written();
  [[nodiscard]] int complete();

  const Demuxer& input_;
  MuxerOptions options_;
  Notices& notices_;
  const std::vector<StreamPlan> plans_;
  std::optional<ImageSequence> sequence_;  // or file_ and io_
  std::optional<OutputFile> file_;
  std::optional<OutputIo> io_;
  UniqueOutputContext context_;
  std::map<int, Output> outputs_;  // by index of the input's stream
  std::set<std::string> tags_left_out_;
  AVRational video_time_base_;
  std::int64_t pictures_ = 0;
  std::int64_t packets_ = 0;
  std::int64_t packet_bytes_ = 0;
  std::deque<std::int64_t> on_their_way_;  // packets of the video: packet_bytes_ behind each
};

}  // namespace facepipe
