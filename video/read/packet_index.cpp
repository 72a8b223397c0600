#include "video/read/packet_index.h"

#include <string_view>

namespace facepipe::video {
namespace {

// An index covers a stream if its last entry is not earlier than this before the stream's end.
constexpr double kLastEntry_s = 1;

double in_seconds_of(const AVStream& stream, std::int64_t time) {
  return static_cast<double>(time) * av_q2d(stream.time_base);
}

bool covers_all(AVStream& stream) {
  const int count = avformat_index_get_entries_count(&stream);
  if (count <= 0 || stream.duration == AV_NOPTS_VALUE) return false;
  const AVIndexEntry* const last = avformat_index_get_entry(&stream, count - 1);
  const std::int64_t start = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
  return last != nullptr &&
         in_seconds_of(stream, last->timestamp) >=
             in_seconds_of(stream, start) + in_seconds_of(stream, stream.duration) - kLastEntry_s;
}

}  // namespace

std::optional<std::int64_t> indexed_bytes(const Demuxer& demuxer, int stream_index, double from_s,
                                          double to_s) {
  if (!std::string_view(demuxer.format().iformat->name).starts_with("mov")) return std::nullopt;
  AVStream& stream = *demuxer.format().streams[stream_index];
  if (!covers_all(stream)) return std::nullopt;
  std::int64_t bytes = 0;
  for (int i = 0; i < avformat_index_get_entries_count(&stream); ++i) {
    const AVIndexEntry* const entry = avformat_index_get_entry(&stream, i);
    if (entry == nullptr || entry->size < 0) return std::nullopt;
    const double time_s = in_seconds_of(stream, entry->timestamp);
    if (time_s >= from_s && time_s < to_s) bytes += entry->size;
  }
  return bytes;
}

}  // namespace facepipe::video
