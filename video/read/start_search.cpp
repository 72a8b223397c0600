#include "video/read/start_search.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "video/bitstream/entry_points.h"

namespace facepipe::video {
namespace {

// For some key frames it is unknown whether a decoder can begin there. Pictures are then possibly
// complete only from the next key frame on. Therefore reading must begin this many key frames
// before the target.
constexpr int kEnoughKeyFrames = 2;

// Each new try seeks to just before the first packet of the last try. The third try goes back by
// this much more, and each further try doubles this additional distance.
constexpr std::int64_t kFirstStepUs = AV_TIME_BASE / 2;

// The largest distance between a packet's decoding stamp and its presentation stamp.
constexpr std::int64_t kMostDelayUs = 10 * std::int64_t{AV_TIME_BASE};

class StartSearch {
 public:
  StartSearch(Demuxer& demuxer, std::int64_t target_us)
      : demuxer_(demuxer), tb_(demuxer.video().time_base), target_us_(target_us) {}

  void run() {
    const std::int64_t origin = demuxer_.origin_us();
    std::int64_t from = target_us_;
    for (std::int64_t step = 0; from > origin; step = std::max(kFirstStepUs, 2 * step)) {
      const bool sought = seek(from);
      if (!sought && step == 0) return;  // nothing was read
      if (!sought) break;
      if (reaches_entry()) {
        seek(from);
        return;
      }
      // With an index, seeking leads to key frames. A seek to just before the first packet then
      // finds the previous key frame. Without an index, seeking can lead anywhere.
      from = std::min(from, first_us_.value_or(from)) - 1 - step;
    }
    // The first packet is decoded before it is shown. Some formats can't seek before their first
    // packet.
    if (!seek(origin - kMostDelayUs) && !seek(origin))
      static_cast<void>(demuxer_.seek(-1, 0, AVSEEK_FLAG_BYTE));
  }

 private:
  bool seek(std::int64_t us) {
    const std::int64_t at = av_rescale_q(us, AV_TIME_BASE_Q, tb_);
    return demuxer_.seek(demuxer_.video_index(), at, 0);
  }

  [[nodiscard]] bool is_behind(std::int64_t stamp) const {
    return stamp != AV_NOPTS_VALUE && av_compare_ts(stamp, tb_, target_us_, AV_TIME_BASE_Q) > 0;
  }

  /// Returns whether a decoder can begin at one of the key frames between the current position and
  /// the target. The key frame must be shown at the target or before.
  bool reaches_entry() {
    EntryPoints entries(*demuxer_.video().codecpar);
    int key_frames = 0;
    first_us_.reset();
    while (const UniqueAVPacket packet = demuxer_.read()) {
      if (packet->stream_index != demuxer_.video_index()) continue;
      const std::int64_t decoded = packet->dts != AV_NOPTS_VALUE ? packet->dts : packet->pts;
      const std::int64_t shown = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
      if (!first_us_ && decoded != AV_NOPTS_VALUE)
        first_us_ = av_rescale_q(decoded, tb_, AV_TIME_BASE_Q);
      if (is_behind(decoded)) return false;
      const bool entry = entries.examine(*packet).entry != Entry::none;
      const bool key = (packet->flags & AV_PKT_FLAG_KEY) != 0;
      if (!key || is_behind(shown)) continue;
      ++key_frames;
      if (entry || key_frames >= kEnoughKeyFrames) return true;
    }
    return false;
  }

  Demuxer& demuxer_;
  const AVRational tb_;
  const std::int64_t target_us_;
  std::optional<std::int64_t> first_us_;  // first stamp of the packets that the last try examined
};

}  // namespace

void seek_to_start(Demuxer& demuxer, double seconds) {
  const AVIOContext* const io = demuxer.format().pb;  // nullptr if FFmpeg opens files itself
  if (io != nullptr && (io->seekable & AVIO_SEEKABLE_NORMAL) == 0) return;
  const auto after = static_cast<std::int64_t>(std::llround(seconds * AV_TIME_BASE));
  StartSearch(demuxer, demuxer.origin_us() + after).run();
}

}  // namespace facepipe::video
