// Writes packets of all streams into one file that appears under its name when it is complete.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "pipeline/demuxer.h"
#include "pipeline/notices.h"
#include "pipeline/streams.h"
#include "pipeline/subtitles.h"

namespace facepipe {

/// What the muxer must know of the encoded video before the first packet.
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
  bool strict = false;
};

/// Writes to NAME.partial.EXT beside the output. Used by one thread at a time. Unless finish() or
/// finish_partial() has been called, the destructor removes the file.
class Muxer {
 public:
  /// Opens the file. Errors: Error(output).
  Muxer(const Demuxer& input, const MuxerOptions& options, Notices& notices);
  ~Muxer();
  Muxer(const Muxer&) = delete;
  Muxer& operator=(const Muxer&) = delete;

  /// Whether packets of this stream of the input go into the output, as they are or changed.
  [[nodiscard]] bool keeps(std::size_t input_stream) const {
    return input_stream < plans_.size() && plans_[input_stream].action != StreamAction::drop;
  }

  /// Makes the streams and writes the header; then the packets kept back until now.
  /// Errors: Error(output).
  void open(const VideoStreamInfo& video);

  /// A packet of the encoded video, stamps in VideoStreamInfo::time_base.
  void write_video(UniqueAVPacket packet);

  /// A packet of another stream of the input; kept back until open().
  void write_side(UniqueAVPacket packet);

  /// Completes the file and gives it its name.
  void finish();
  /// Completes the file and leaves it under its partial name.
  void finish_partial();

  [[nodiscard]] const std::filesystem::path& partial_path() const { return partial_; }

 private:
  struct Output {
    AVStream* stream = nullptr;
    std::unique_ptr<SubtitleConverter> subtitles;
    std::int64_t last_dts = AV_NOPTS_VALUE;
  };

  void add_video(const VideoStreamInfo& video);
  void add_copy(const AVStream& from, const StreamPlan& plan);
  void add_cover(const AVStream& from);
  void copy_chapters();
  void write_header(const VideoStreamInfo& video);
  void write(Output& output, UniqueAVPacket packet, AVRational time_base);
  void complete();

  const Demuxer& input_;
  MuxerOptions options_;
  Notices& notices_;
  std::filesystem::path partial_;
  std::vector<StreamPlan> plans_;
  UniqueOutputContext context_;
  std::map<int, Output> outputs_;  // by index of the input's stream
  std::deque<UniqueAVPacket> waiting_;
  AVRational video_time_base_{0, 1};
  bool opened_ = false;
  bool completed_ = false;
};

/// "clip_faces.mp4" -> "clip_faces.partial.mp4".
[[nodiscard]] std::filesystem::path partial_path(const std::filesystem::path& output);

}  // namespace facepipe
