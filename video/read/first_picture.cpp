#include "video/read/first_picture.h"

#include <string>
#include <utility>

#include "core/error.h"

namespace facepipe::video {
namespace {

class FirstPictureSearch {
 public:
  FirstPictureSearch(Source& source, const OpenDecoder& open, DecoderChoice choice,
                     const WantsPacket& wants, Notices& notices)
      : source_(source), open_(open), choice_(choice), wants_(wants), notices_(notices) {}

  FirstPicture run() {
    found_.decoder = open_(choice_);
    if (!found_.decoder->refusal().empty()) replace_decoder();
    while (!found_.picture && !found_.ended) {
      read();
      const ScopedWork decoding(found_.decoding);
      decode();
    }
    return std::move(found_);
  }

 private:
  /// Reads one packet, and adds it to the list that it belongs to.
  void read() {
    ReadPacket item;
    {
      const ScopedWork reading(found_.reading);
      item = read_packet(source_);
    }
    const bool video = item.packet && item.packet->stream_index == source_.demuxer().video_index();
    if (item.packet && !video) return keep_other(std::move(item.packet));
    found_.ended_range = video && found_.decoder->past_end(*item.packet);
    found_.ended = !item.packet || found_.ended_range;
    if (found_.ended) return;
    keep(item);
    found_.packets.push_back(std::move(item));
  }

  /// Keeps a packet for the case that another decoder, or the same decoder, must begin again.
  void keep(const ReadPacket& item) {
    kept_bytes_ += item.packet->size;
    if (kept_bytes_ > kMaxKeptBytes)
      found_.kept.clear();
    else
      found_.kept.push_back({reference(*item.packet), item.read});
  }

  void keep_other(UniqueAVPacket packet) {
    if (!wants_(*packet, *found_.decoder)) return;
    other_bytes_ += packet->size;
    if (other_bytes_ > kMaxKeptBytes)
      throw Error(ErrorKind::input, source_.demuxer().url() + ": other streams have " +
                                        std::to_string(kMaxKeptBytes >> 20) +
                                        " MiB of data before the first picture");
    found_.other_packets.push_back(std::move(packet));
  }

  void decode() {
    while (!found_.picture) {
      const bool last = found_.packets.empty();
      if (last && !found_.ended) return;
      if (last) {
        found_.decoder->finish();
      } else {
        found_.decoder->send(found_.packets.front());
        found_.packets.pop_front();
      }
      found_.picture = found_.decoder->next();
      const bool refused = !found_.decoder->refusal().empty();
      if (refused) replace_decoder();
      if (last && !refused) return;
    }
  }

  /// Replaces the decoder by a decoder on the CPU, which gets all packets again.
  void replace_decoder() {
    const std::string reason = found_.decoder->refusal();
    const bool lost_some = kept_bytes_ > kMaxKeptBytes;
    if (choice_ != DecoderChoice::automatic || lost_some)
      throw Error(ErrorKind::device, source_.demuxer().url() + ": " + reason + "; use --decoder " +
                                         (lost_some ? "cpu" : "auto or cpu") +
                                         " to decode it on the CPU");
    notices_.add("decoded on the CPU and uploaded, because " + reason);
    choice_ = DecoderChoice::cpu;
    // The old decoder is destroyed first, because the new decoder could need its memory.
    found_.decoder = nullptr;
    found_.decoder = open_(choice_);
    found_.packets.clear();
    for (const ReadPacket& item : found_.kept)
      found_.packets.push_back({reference(*item.packet), item.read});
  }

  Source& source_;
  const OpenDecoder& open_;
  DecoderChoice choice_;
  const WantsPacket& wants_;
  Notices& notices_;
  FirstPicture found_;
  std::int64_t kept_bytes_ = 0;
  std::int64_t other_bytes_ = 0;
};

}  // namespace

FirstPicture read_first_picture(Source& source, const OpenDecoder& open, DecoderChoice choice,
                                const WantsPacket& wants, Notices& notices) {
  return FirstPictureSearch(source, open, choice, wants, notices).run();
}

ReadPacket read_packet(Source& source) {
  Interval read;
  UniqueAVPacket packet;
  {
    const ScopedInterval interval(read);
    packet = source.read();
  }
  return {std::move(packet), read};
}

}  // namespace facepipe::video
