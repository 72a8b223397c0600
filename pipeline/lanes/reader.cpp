#include "pipeline/lanes/reader.h"

#include <utility>

#include "video/read/first_picture.h"

namespace facepipe::pipeline {

void Reader::run(const video::Decoder& decoder, const std::stop_token& failed) {
  const ScopedWork work(working_);
  const PartJob* const part = plan_.part ? &*plan_.part : nullptr;
  const AVCodecParameters* const cut =
      plan_.lanes.count > 1 || part != nullptr ? input_.demuxer().video().codecpar : nullptr;
  const auto in_range = [&decoder, time_base = input_.demuxer().video().time_base](
                            const AVPacket& packet) { return decoder.in_range(packet, time_base); };
  Feed feed(cut, plan_.lanes.count, plan_.limits.packets, connections_.segments, connections_.order,
            failed, part, input_.packets_before, in_range);
  for (video::UniqueAVPacket& packet : input_.begin.other_packets)
    feed.give(SidePacket{std::move(packet)});
  for (video::ReadPacket& packet : input_.begin.packets) feed.give(std::move(packet));
  if (!input_.begin.ended) read_into(feed, decoder);
  ended_range_ = ended_range_ || feed.part_has_ended();
  feed.finish();
  read_part_ = part != nullptr && feed.are_of(*part);
  if (connections_.tracks) connections_.tracks->end(feed.segments());
  cuts_ = feed.segments() - 1;
}

void Reader::read_into(Feed& feed, const video::Decoder& decoder) {
  const video::Demuxer& demuxer = input_.demuxer();
  while (!feed.part_has_ended()) {
    video::ReadPacket item;
    {
      const std::scoped_lock lock(reading_);
      item = video::read_packet(*input_.source);
    }
    if (!item.packet) return;
    if (item.packet->stream_index == demuxer.video_index()) {
      ended_range_ = decoder.past_end(*item.packet);
      if (ended_range_) return;
      feed.give(std::move(item));
    } else {
      note_late_stream(plan_, demuxer, *item.packet, notices_);
      if (wants_packet(plan_, demuxer, decoder, *item.packet))
        feed.give(SidePacket{std::move(item.packet)});
    }
  }
}

}  // namespace facepipe::pipeline
