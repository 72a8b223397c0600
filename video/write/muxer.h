// Writes packets of all streams into one file. The file gets its name when it is complete.
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
#include "video/write/discarded_output.h"
#include "video/write/image_sequence.h"
#include "video/write/output_bytes.h"
#include "video/write/output_io.h"
#include "video/write/output_streams.h"
#include "video/write/streams.h"
#include "video/write/trial_muxer.h"

namespace facepipe::video {

struct MuxerOptions {
  std::filesystem::path output;
  const AVOutputFormat* format = nullptr;
  std::int64_t offset_us = 0;  ///< subtracted from every stamp, and from the times of chapters
  /// Number of the input's frames before the first frame of the output. The timecode in a tag is
  /// moved later by this number of frames.
  std::int64_t timecode_delay = 0;
  /// Names of the only tags that are kept, in upper or lower case. Tags of languages and of time
  /// are always kept. nullopt: all tags are kept.
  std::optional<std::vector<std::string>> kept_tags;
  Originals originals = Originals::keep;  ///< says whether texts inside streams are kept
  bool strict = false;                    ///< Error(output) if a stream is lost
  bool sequence = false;  ///< each picture gets its own file; `output` is the pattern of their
                          ///< names
  bool discard = false;   ///< the bytes are counted, but nothing is written to the disk
  ExistingTarget existing = ExistingTarget::refuse;
  std::stop_token stop;  ///< a stop ends the wait for the reader of a FIFO
};

/// Writes to a temporary file beside the output (core/files/output_file.h), or each picture of a
/// sequence to its own file (ImageSequence). Only one thread at a time may use it. The destructor
/// removes the files, unless finish() or finish_partial() has been called.
///
/// Another thread writes the file. A call returns when its bytes are formatted. If the write fails,
/// a later call reports the error, at the latest drain().
///
/// Even on a nearly full disk, room is reserved for the bytes that the muxer must still write to
/// finish the file. If no more packets are taken, full() returns why.
class Muxer {
 public:
  /// Opens the file, makes the streams that `streams` plans (one plan for each of the input's
  /// streams), and writes the header. Throws Error(output), also if the output is a FIFO but the
  /// muxer must seek.
  Muxer(const Demuxer& input, MuxerOptions options, const std::vector<StreamPlan>& streams,
        const VideoStreamInfo& video, Notices& notices);
  Muxer(const Muxer&) = delete;
  Muxer& operator=(const Muxer&) = delete;

  /// Writes a packet of the encoded video, whose stamps are in VideoStreamInfo::time_base. Returns
  /// false if the packet was dropped because the disk is full. Throws Error(output), also for a
  /// second picture in a file that can hold only one.
  bool write_video(UniqueAVPacket packet);

  /// Writes a packet of another stream of the input. If the format's muxer refuses the packet, for
  /// example because the packet is damaged, the packet is left out and counted. Throws
  /// Error(output).
  void write_side(UniqueAVPacket packet);
  /// Returns how many packets write_side() left out. Counts only streams of which other packets
  /// were taken. If all packets of a stream are refused, the format can't store the stream, and
  /// that is no damage.
  [[nodiscard]] std::int64_t side_packets_lost() const;
  /// Adds a notice for each stream of which packets were left out.
  void note_left_out() const;

  /// Waits until all packets are in the file, except those that FFmpeg holds back to interleave
  /// them. Throws Error(output), unless full() returns the reason.
  void drain();

  /// Returns the number of video packets that were taken, but will be missing in the file, because
  /// the disk took no more. Valid after drain(). The number isn't exact, because it ignores the 20
  /// bytes or so that containers add to each packet.
  [[nodiscard]] std::int64_t left_out() const { return std::ssize(on_their_way_); }

  /// Returns whether each picture has its own file.
  [[nodiscard]] bool is_sequence() const { return options_.sequence; }

  /// Returns the errno with which the disk refused further bytes; 0 if it took all bytes so far.
  [[nodiscard]] int full() const {
    if (sequence_) return sequence_->full();
    return io_ ? io_->queue().full() : 0;
  }

  /// Returns the bytes of the packets so far; OutputBytes::whole is 0 unless MuxerOptions::discard
  /// is set, and is complete after finish() or finish_partial().
  [[nodiscard]] OutputBytes bytes() const;

  /// Completes the file and gives it its name.
  /// @param damage  one line that says what is missing in the input, for OutputLock::damage_of();
  ///                empty if nothing is missing
  void finish(const std::string& damage = {});
  /// Completes the file under a partial name, and returns this name.
  std::filesystem::path finish_partial();

 private:
  struct Output : OutputStream {
    std::unique_ptr<PacketTrial> trial;  // for streams other than the video
    std::int64_t last_dts = AV_NOPTS_VALUE;
    std::int64_t last_end = AV_NOPTS_VALUE;  // last_dts plus the packet's duration
    std::int64_t taken = 0;                  // number of packets that were taken
    std::int64_t lost = 0;
    std::string why_lost;
    bool names_places = false;
  };

  void open_file();
  void make_streams(const std::vector<StreamPlan>& plans, const VideoStreamInfo& video);
  void move_timecode(AVDictionary** tags);
  void note_left_out(const TagFilter& tags);
  void leave_out(Output& output, const AVStream& from);
  [[nodiscard]] std::string refused_stream(const AVStream& from, const std::string& why) const;
  void write_header(const VideoStreamInfo& video);
  void fail_in_header(int code);
  void make_trials();
  [[nodiscard]] bool leaves_out(Output& output, const AVStream& from, AVPacket& packet);
  bool write(UniqueAVPacket packet);
  void pad(AVPacket& picture) const;
  void note_lost_times(const Output& output, std::int64_t dts);
  void stamp(Output& output, AVPacket& packet, AVRational time_base);
  void mend_stamps(Output& output, AVPacket& packet);
  void reserve_for(const AVPacket& packet);
  void forget_written();
  [[nodiscard]] int complete();

  const Demuxer& input_;
  MuxerOptions options_;
  Notices& notices_;
  std::optional<DiscardedOutput> discarded_;  // with MuxerOptions::discard, instead of the others
  std::optional<ImageSequence> sequence_;     // if it has a value, file_ and io_ have none
  std::optional<OutputFile> file_;
  std::optional<OutputIo> io_;
  UniqueOutputContext context_;
  std::map<int, Output> outputs_;  // key: index of the input's stream
  AVRational video_time_base_;
  std::int64_t pictures_ = 0;
  std::int64_t packets_ = 0;
  std::int64_t packet_bytes_ = 0;
  OutputBytes bytes_;
  std::deque<std::int64_t> on_their_way_;  // value of packet_bytes_ after each packet of the video
};

}  // namespace facepipe::video
