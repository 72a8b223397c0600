// Writes packets of all streams into one file that appears under its name when it is complete.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/files/output_file.h"
#include "video/notices.h"
#include "video/read/demuxer.h"
#include "video/write/image_sequence.h"
#include "video/write/output_io.h"
#include "video/write/output_streams.h"
#include "video/write/streams.h"
#include "video/write/trial_muxer.h"

namespace facepipe::video {

struct MuxerOptions {
  std::filesystem::path output;
  const AVOutputFormat* format = nullptr;
  std::int64_t offset_us = 0;  ///< subtracted from every stamp; chapters move along
  /// Frames of the input in front of the first one: its timecode, which a tag tells, is that much
  /// later.
  std::int64_t timecode_delay = 0;
  /// Names of the only tags that are kept, in any case; those of languages and of time are kept
  /// always. None: all tags are.
  std::optional<std::vector<std::string>> kept_tags;
  Originals originals = Originals::keep;  ///< whether words within streams stay
  bool strict = false;                    ///< a stream that is lost is Error(output)
  bool sequence = false;  ///< each picture gets a file of its own, by `output`'s number
  ExistingTarget existing = ExistingTarget::refuse;
  std::stop_token stop;  ///< ends waits for the reader of a FIFO
};

/// Writes to a temporary file beside the output (core/files/output_file.h), pictures of a sequence
/// to one each (ImageSequence). Used by one thread at a time. Unless finish() or finish_partial()
/// has been called, the destructor removes what was written.
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
  Muxer(const Demuxer& input, MuxerOptions options, const std::vector<StreamPlan>& streams,
        const VideoStreamInfo& video, Notices& notices);
  Muxer(const Muxer&) = delete;
  Muxer& operator=(const Muxer&) = delete;

  /// A packet of the encoded video, stamps in VideoStreamInfo::time_base. False if it was dropped
  /// because the disk is full. Errors: Error(output); also where a second picture comes for a file
  /// that holds one.
  bool write_video(UniqueAVPacket packet);

  /// A packet of another stream of the input. One that the format's muxer refuses, because it is
  /// damaged, say, is left out and counted. Errors: Error(output).
  void write_side(UniqueAVPacket packet);
  /// Packets that were left out so, of streams of which others were taken: where all are refused,
  /// the format can't hold the stream, which is no damage.
  [[nodiscard]] std::int64_t side_packets_lost() const;
  /// Tells what was left out, stream by stream.
  void tell_left_out() const;

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
  /// @param damage  what of the input is missing, in a line, for OutputLock::damage_of(); empty:
  ///                nothing
  void finish(const std::string& damage = {});
  /// Completes the file under a partial name, which is returned.
  std::filesystem::path finish_partial();

 private:
  struct Output : OutputStream {
    std::unique_ptr<PacketTrial> trial;  // of streams beside the video
    std::int64_t last_dts = AV_NOPTS_VALUE;
    std::int64_t last_end = AV_NOPTS_VALUE;  // last_dts and the packet's duration
    std::int64_t taken = 0;                  // packets
    std::int64_t lost = 0;
    std::string why_lost;
    bool tells_places = false;
  };

  void open_file();
  void make_streams(const std::vector<StreamPlan>& plans, const VideoStreamInfo& video);
  void move_timecode(AVDictionary** tags);
  void tell_left_out(const TagFilter& tags);
  void leave_out(Output& output, const AVStream& from);
  [[nodiscard]] std::string refused_stream(const AVStream& from, const std::string& why) const;
  void write_header(const VideoStreamInfo& video);
  void fail_in_header(int code);
  void make_trials();
  [[nodiscard]] bool leaves_out(Output& output, const AVStream& from, AVPacket& packet);
  bool write(UniqueAVPacket packet);
  void pad(AVPacket& picture) const;
  void tell_lost_times(const Output& output, std::int64_t dts);
  void stamp(Output& output, AVPacket& packet, AVRational time_base);
  void mend_stamps(Output& output, AVPacket& packet);
  void reserve_for(const AVPacket& packet);
  void forget_written();
  [[nodiscard]] int complete();

  const Demuxer& input_;
  MuxerOptions options_;
  Notices& notices_;
  std::optional<ImageSequence> sequence_;  // or file_ and io_
  std::optional<OutputFile> file_;
  std::optional<OutputIo> io_;
  UniqueOutputContext context_;
  std::map<int, Output> outputs_;  // by index of the input's stream
  AVRational video_time_base_;
  std::int64_t pictures_ = 0;
  std::int64_t packets_ = 0;
  std::int64_t packet_bytes_ = 0;
  std::deque<std::int64_t> on_their_way_;  // packets of the video: packet_bytes_ behind each
};

}  // namespace facepipe::video
