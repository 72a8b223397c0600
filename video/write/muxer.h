// Writes packets of all streams into one file, which gets its name when it is complete.
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
  std::int64_t offset_us = 0;  ///< subtracted from every stamp, and from the times of chapters
  /// How many frames of the input lie before the first frame of the output. The timecode in a tag
  /// becomes that much later.
  std::int64_t timecode_delay = 0;
  /// Names of the only tags that are kept, in upper or lower case. Tags of languages and of time
  /// are always kept. None: all tags are kept.
  std::optional<std::vector<std::string>> kept_tags;
  Originals originals = Originals::keep;  ///< says whether words within streams stay
  bool strict = false;                    ///< a lost stream is Error(output)
  bool sequence = false;  ///< each picture gets its own file; `output` has a place for its number
  ExistingTarget existing = ExistingTarget::refuse;
  std::stop_token stop;  ///< ends waiting for the reader of a FIFO
};

/// Writes to a temporary file beside the output (core/files/output_file.h), or each picture of a
/// sequence to its own file (ImageSequence). Used by one thread at a time. The destructor removes
/// what was written, unless finish() or finish_partial() has been called.
///
/// Another thread writes the file. A call returns when its bytes are formatted. A later call
/// reports an error at the file, at the latest drain().
///
/// On a disk that is nearly full, room is always kept for what the muxer must still write to finish
/// the file. full() tells when no more packets are taken.
class Muxer {
 public:
  /// Opens the file, makes the streams that `streams` plans (one plan for each of the input's), and
  /// writes the header. Throws Error(output), also for a FIFO if the format must be able to go
  /// back.
  Muxer(const Demuxer& input, MuxerOptions options, const std::vector<StreamPlan>& streams,
        const VideoStreamInfo& video, Notices& notices);
  Muxer(const Muxer&) = delete;
  Muxer& operator=(const Muxer&) = delete;

  /// Writes a packet of the encoded video, whose stamps are in VideoStreamInfo::time_base. Returns
  /// false if it was dropped because the disk is full. Throws Error(output), also if a second
  /// picture comes for a file that holds one.
  bool write_video(UniqueAVPacket packet);

  /// Writes a packet of another stream of the input. If the format's muxer refuses it, for example
  /// because it is damaged, it is left out and counted. Throws Error(output).
  void write_side(UniqueAVPacket packet);
  /// Returns how many packets were left out in this way, of streams of which others were taken. If
  /// all packets of a stream are refused, the format can't hold the stream, which is no damage.
  [[nodiscard]] std::int64_t side_packets_lost() const;
  /// Reports what was left out, stream by stream.
  void tell_left_out() const;

  /// Waits until all is in the file, except packets that FFmpeg holds back to interleave them.
  /// Throws Error(output), unless full() tells why.
  void drain();

  /// Returns the number of video packets that were taken, but will not be in the file, because it
  /// took no more. Valid after drain(). The 20 bytes or so that containers add to each packet
  /// aren't counted.
  [[nodiscard]] std::int64_t left_out() const { return std::ssize(on_their_way_); }

  /// Returns whether each picture has its own file.
  [[nodiscard]] bool is_sequence() const { return sequence_.has_value(); }

  /// Returns why the disk takes no more, as an errno; 0 while it does, as far as it has been
  /// written.
  [[nodiscard]] int full() const { return sequence_ ? sequence_->full() : io_->queue().full(); }

  /// Completes the file and gives it its name.
  /// @param damage  what is missing of the input, in a line, for OutputLock::damage_of(); empty:
  ///                nothing
  void finish(const std::string& damage = {});
  /// Completes the file under a partial name, and returns this name.
  std::filesystem::path finish_partial();

 private:
  struct Output : OutputStream {
    std::unique_ptr<PacketTrial> trial;  // for streams beside the video
    std::int64_t last_dts = AV_NOPTS_VALUE;
    std::int64_t last_end = AV_NOPTS_VALUE;  // last_dts plus the packet's duration
    std::int64_t taken = 0;                  // number of packets
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
  std::optional<ImageSequence> sequence_;  // excludes file_ and io_
  std::optional<OutputFile> file_;
  std::optional<OutputIo> io_;
  UniqueOutputContext context_;
  std::map<int, Output> outputs_;  // keys: indices of the input's streams
  AVRational video_time_base_;
  std::int64_t pictures_ = 0;
  std::int64_t packets_ = 0;
  std::int64_t packet_bytes_ = 0;
  std::deque<std::int64_t> on_their_way_;  // for each packet of the video: packet_bytes_ after it
};

}  // namespace facepipe::video
