#include "video/read/kept_promises.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "video/read/file_end.h"

namespace facepipe::video {
namespace {

// Durations in headers are rounded, and streams can end at slightly different times.
constexpr std::int64_t kDurationToleranceUs = 1'000'000;

bool has_index_of_packets(const AVFormatContext& input) {
  // The mov demuxer's index lists every packet that it will return. Other demuxers only list key
  // frames.
  return std::strstr(input.iformat->name, "mov") != nullptr;
}

bool is_avi(const AVFormatContext& input) { return std::strcmp(input.iformat->name, "avi") == 0; }

}  // namespace

KeptPromises::KeptPromises(AVFormatContext& input) : input_(input) {
  for (unsigned i = 0; i < input.nb_streams; ++i)
    indexed_.push_back(avformat_index_get_entries_count(input.streams[i]));
}

void KeptPromises::count(const AVPacket& packet, const AVStream& video) {
  if (packet.stream_index == video.index) {
    ++video_packets_;
    const bool known = packet.dts != AV_NOPTS_VALUE && packet.dts != INT64_MAX;
    if (known) next_video_dts_ = std::max(next_video_dts_, packet.dts + 1);
  }
  last_place_ = std::max(last_place_, packet.pos);
  // MPEG-TS also sets this flag if a part was lost in transmission.
  const bool cut = (packet.flags & AV_PKT_FLAG_CORRUPT) != 0 && input_.pb != nullptr &&
                   avio_feof(input_.pb) != 0;
  torn_packet_ = torn_packet_ || (cut && std::strcmp(input_.iformat->name, "mpegts") != 0);
  const std::int64_t begin = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  if (begin == AV_NOPTS_VALUE) return;
  const AVRational time_base = input_.streams[packet.stream_index]->time_base;
  const std::int64_t end_us =
      av_rescale_q(begin + std::max<std::int64_t>(packet.duration, 0), time_base, AV_TIME_BASE_Q);
  last_end_us_ = std::max(last_end_us_, end_us);
}

/// Returns the longest known duration. Some headers mark a stream's duration as unknown (all ones
/// in MP4), but FFmpeg reads this as a duration. If there are such streams, only the other streams
/// count here.
std::int64_t KeptPromises::duration_us() const {
  const auto says_unknown = [](const AVStream& stream) {
    return stream.duration == UINT32_MAX || stream.duration == INT64_MAX;
  };
  bool all_known = true;
  std::int64_t longest = 0;
  for (unsigned i = 0; i < input_.nb_streams; ++i) {
    const AVStream& stream = *input_.streams[i];
    const bool unknown = has_index_of_packets(input_) && says_unknown(stream);
    all_known = all_known && !unknown;
    if (unknown || stream.duration <= 0 || stream.time_base.num <= 0) continue;
    longest = std::max(longest, av_rescale_q(stream.duration, stream.time_base, AV_TIME_BASE_Q));
  }
  return all_known ? std::max<std::int64_t>(0, input_.duration) : longest;
}

/// Returns whether the container says how many packets the video has.
bool KeptPromises::counts_packets(const AVStream& video) const {
  return video.nb_frames > 0 && (has_index_of_packets(input_) || is_avi(input_));
}

bool KeptPromises::promises_duration() const {
  return duration_us() > 0 && input_.start_time != AV_NOPTS_VALUE &&
         input_.duration_estimation_method == AVFMT_DURATION_FROM_STREAM;
}

bool KeptPromises::needs_all_streams(const AVStream& video) const {
  return promises_duration() && !counts_packets(video);
}

std::string KeptPromises::missing(const AVStream& video) const {
  if (std::string packets = missing_packets(video); !packets.empty()) return packets;
  if (torn_packet_) return "the file ends within a packet";
  if (std::string torn = torn_end(input_, last_place_); !torn.empty()) return torn;
  // The longest stream is possibly a stream that wasn't read.
  if (!promises_duration() || left_out_stream_ || last_end_us_ == AV_NOPTS_VALUE) return {};
  // Some containers count the duration from zero, others from the first time stamp. We use the
  // smaller end.
  const std::int64_t promised_end = duration_us() + std::min<std::int64_t>(input_.start_time, 0);
  const std::int64_t missing = promised_end - last_end_us_;
  if (missing <= kDurationToleranceUs) return {};
  return "the header promises " + std::to_string(missing / 1000) + " ms more than the file holds";
}

/// Returns a text that says how many of the container's video packets are missing; empty if none.
std::string KeptPromises::missing_packets(const AVStream& video) const {
  if (is_avi(input_)) return missing_of_avi(video);
  if (!has_index_of_packets(input_)) return {};
  return missing_of_index(avformat_index_get_entries_count(&video));
}

/// @param promised  number of packets that the index lists
std::string KeptPromises::missing_of_index(int promised) const {
  if (video_packets_ >= promised) return {};
  return "the index lists " + std::to_string(promised) + " video packets, the file holds " +
         std::to_string(video_packets_);
}

/// Like missing_packets(), for AVI. AVI's header counts all frames. A frame that only repeats the
/// previous frame has no packet, and isn't in the index. FFmpeg shortens the duration to what the
/// file contains, so the duration can't be compared.
std::string KeptPromises::missing_of_avi(const AVStream& video) const {
  const auto stream = static_cast<std::size_t>(video.index);
  const int promised = stream < indexed_.size() ? indexed_[stream] : 0;
  if (std::string packets = missing_of_index(promised); !packets.empty()) return packets;
  const std::int64_t reached = std::max(video_packets_, next_video_dts_);
  if (reached >= video.nb_frames) return {};
  const bool whole = promised > 0 && !is_torn_riff(input_);
  if (whole) return {};
  return "the header promises " + std::to_string(video.nb_frames) + " frames, the file holds " +
         std::to_string(reached);
}

}  // namespace facepipe::video
