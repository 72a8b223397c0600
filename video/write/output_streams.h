// Makes the streams of an output from the streams of an input, according to the StreamPlans.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "video/read/demuxer.h"
#include "video/write/picture_data.h"
#include "video/write/streams.h"
#include "video/write/subtitles.h"
#include "video/write/tag_filter.h"

namespace facepipe::video {

/// Holds the facts about the encoded video that an output needs.
struct VideoStreamInfo {
  UniqueCodecParameters parameters;
  AVRational time_base{0, 1};
  Rational frame_rate;
  Rational sample_aspect{1, 1};
  std::int64_t duration_us = 0;       ///< duration of the input; 0 if unknown
  std::vector<StreamData> side_data;  ///< includes a display matrix only if it still applies
};

/// Describes a stream that gets packets.
struct OutputStream {
  AVStream* stream = nullptr;                    ///< belongs to the output's context
  std::unique_ptr<SubtitleConverter> subtitles;  ///< set if the stream's text must be converted
};

/// Makes streams in an output's context. The input, the context and the filter must outlive it. Not
/// thread-safe.
class StreamMaker {
 public:
  StreamMaker(AVFormatContext& output, const Demuxer& input, TagFilter& tags,
              Originals originals = Originals::keep)
      : output_(output), input_(input), tags_(tags), originals_(originals) {}

  [[nodiscard]] OutputStream add_video(const VideoStreamInfo& video);
  /// Makes the output stream for an input stream other than the video. The plan must not drop it.
  /// Throws Error(internal) if FFmpeg can't convert the stream's text.
  [[nodiscard]] OutputStream add(const AVStream& from, const StreamPlan& plan);
  /// Copies the input's tags and chapters.
  /// @param offset_us  time that is subtracted from the times of chapters
  void add_tags_and_chapters(std::int64_t offset_us);
  /// Returns a sentence for each thing that was left out of a copied stream.
  [[nodiscard]] const std::vector<std::string>& told() const { return told_; }

 private:
  [[nodiscard]] OutputStream add_copy(const AVStream& from);
  [[nodiscard]] OutputStream add_subtitles(const AVStream& from, AVCodecID codec);
  [[nodiscard]] OutputStream add_cover(const AVStream& from);
  [[nodiscard]] AVStream* new_stream();
  void clean(const AVStream& from, AVCodecParameters& parameters);

  AVFormatContext& output_;
  const Demuxer& input_;
  TagFilter& tags_;
  Originals originals_;
  std::vector<std::string> told_;
};

/// Makes the output's streams. `plans` has one plan for each stream of the input. Returns the
/// streams that get packets, each by the index of its input stream.
using OutputStreams = std::map<int, OutputStream>;
[[nodiscard]] OutputStreams make_streams(StreamMaker& maker, const Demuxer& input,
                                         const std::vector<StreamPlan>& plans,
                                         const VideoStreamInfo& video);

/// Applies the settings that every output needs to `output`.
void set_header_rules(AVFormatContext& output);
/// Calls set_header_rules(), and applies the settings that depend on the video. Some of them go to
/// `options`, which must be passed to avformat_write_header().
void prepare_header(AVFormatContext& output, const VideoStreamInfo& video, bool sequence,
                    Dictionary& options);

}  // namespace facepipe::video
