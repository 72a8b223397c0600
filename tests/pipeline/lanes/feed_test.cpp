// These tests check how Feed divides a file's packets into segments. Each packet must be in one
// segment for its picture. If the pictures of the next segment need the packet, it must be in that
// segment, too. Packets of other streams must keep their places between the video packets.
#include "pipeline/lanes/feed.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <latch>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"
#include "video/read/demuxer.h"

namespace facepipe::test {
namespace {

using testing::IsEmpty;

constexpr std::int64_t kGop = 48;

std::string x264(int frames, const std::string& more) {
  return "-f lavfi -i testsrc2=s=64x64:r=25 -f lavfi -i sine -frames:v " + std::to_string(frames) +
         " -shortest -c:a aac -c:v libx264 -preset veryfast -threads 1 -bf 3 -x264-params " +
         "keyint=48:min-keyint=48:scenecut=0" + more;
}

/// Describes a packet of video or sound. Its decoding stamp is unique and identifies it.
struct Arrived {
  bool video = false;
  std::int64_t dts = 0;
  bool decode_only = false;
  std::int64_t segment = 0;
  bool starts_independently = false;
  std::int64_t pts = 0;
};

struct ArrivedSegment {
  std::int64_t number = 0;
  bool starts_independently = false;
  std::int64_t frames_before = 0;
  std::vector<Arrived> packets;

  [[nodiscard]] std::vector<Arrived> video() const { return of(true); }
  [[nodiscard]] std::vector<Arrived> of(bool video) const {
    std::vector<Arrived> found;
    std::ranges::copy_if(packets, std::back_inserter(found),
                         [&](const Arrived& packet) { return packet.video == video; });
    return found;
  }
};

Arrived described(const pipeline::SegmentInput& input) {
  if (const auto* side = std::get_if<pipeline::SidePacket>(&input))
    return {false, side->packet->dts};
  const auto& read = std::get<video::ReadPacket>(input);
  return {true,         read.packet->dts,          read.decode_only,
          read.segment, read.starts_independently, read.packet->pts};
}

/// Returns all segments of a feed that has finished. If a segment were unfinished, the function
/// would wait for ever.
std::vector<ArrivedSegment> drained(pipeline::Segments& segments) {
  std::vector<ArrivedSegment> all;
  while (const auto segment = segments.pop()) {
    ArrivedSegment& arrived = all.emplace_back(
        (*segment)->number(), (*segment)->starts_independently(), (*segment)->frames_before());
    while (const std::optional<pipeline::SegmentInput> input = (*segment)->next({}))
      arrived.packets.push_back(described(*input));
  }
  return all;
}

class FeedOfAClip : public testing::Test {
 protected:
  void open(const std::string& arguments, const char* name) {
    ffmpeg(arguments, folder_ / name);
    demuxer_.emplace((folder_ / name).string(), std::stop_token{});
    while (video::UniqueAVPacket packet = demuxer_->read()) packets_.push_back(std::move(packet));
  }

  [[nodiscard]] bool is_video(const AVPacket& packet) const {
    return packet.stream_index == demuxer_->video_index();
  }
  [[nodiscard]] const AVCodecParameters* parameters() const { return demuxer_->video().codecpar; }

  /// Returns the packets of the video or of the sound, in the order of the file.
  [[nodiscard]] std::vector<const AVPacket*> all_of(bool video) const {
    std::vector<const AVPacket*> found;
    for (const video::UniqueAVPacket& packet : packets_)
      if (is_video(*packet) == video) found.push_back(packet.get());
    return found;
  }
  [[nodiscard]] std::vector<std::int64_t> stamps_of(bool video) const {
    std::vector<std::int64_t> stamps;
    for (const AVPacket* packet : all_of(video)) stamps.push_back(packet->dts);
    return stamps;
  }

  void give_all(pipeline::Feed& feed) const {
    for (const video::UniqueAVPacket& packet : packets_)
      if (is_video(*packet))
        feed.give(video::ReadPacket{video::reference(*packet), {}});
      else
        feed.give(pipeline::SidePacket{video::reference(*packet)});
    feed.finish();
  }

  /// Divides a part of the clip into the segments that so many lanes get, and returns them.
  [[nodiscard]] std::vector<ArrivedSegment> cut_part(const pipeline::PartJob& part, int lanes) {
    pipeline::Segments segments{100, {}};
    pipeline::Order order{{1000, std::int64_t{1} << 30}, {}};
    pipeline::Feed feed(parameters(), lanes, 1000, segments, order, {}, &part);
    for (const AVPacket* packet : all_of(true))
      if (!feed.part_has_ended()) feed.give(video::ReadPacket{video::reference(*packet), {}});
    feed.finish();
    return drained(segments);
  }
  /// Divides the clip into segments, and returns them. The chosen range begins with `from`.
  [[nodiscard]] std::vector<ArrivedSegment> cut(std::int64_t from = INT64_MIN) {
    const auto in_range = [from](const AVPacket& packet) { return packet.pts >= from; };
    pipeline::Feed feed(parameters(), 2, 1, segments_, order_, {}, nullptr, 0, in_range);
    give_all(feed);
    std::vector<ArrivedSegment> all = drained(segments_);
    EXPECT_EQ(feed.segments(), std::ssize(all));
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(all[i].number, static_cast<std::int64_t>(i));
    return all;
  }

  /// Expects that each packet belongs to exactly one segment for its picture, in the order of the
  /// file. A packet that is in two segments must be in two successive ones.
  void expect_each_once(const std::vector<ArrivedSegment>& all) const;
  /// Expects that each segment knows how many frames are shown before its first frame. `from` as
  /// for cut().
  void expect_frames_before(const std::vector<ArrivedSegment>& all,
                            std::int64_t from = INT64_MIN) const;
  void expect_side_packets_between(const std::vector<ArrivedSegment>& all) const;
  [[nodiscard]] std::vector<std::int64_t> leading() const;

  TemporaryFolder folder_;
  std::optional<video::Demuxer> demuxer_;
  std::vector<video::UniqueAVPacket> packets_;
  pipeline::Segments segments_{100, {}};
  pipeline::Order order_{{1000, std::int64_t{1} << 30}, {}};
};

void FeedOfAClip::expect_each_once(const std::vector<ArrivedSegment>& all) const {
  std::map<std::int64_t, std::vector<Arrived>> by_stamp;
  for (const ArrivedSegment& segment : all) {
    std::vector<std::int64_t> stamps;
    for (const Arrived& packet : segment.video()) {
      EXPECT_EQ(packet.segment, segment.number);
      by_stamp[packet.dts].push_back(packet);
      stamps.push_back(packet.dts);
    }
    EXPECT_TRUE(std::ranges::is_sorted(stamps)) << "segment " << segment.number;
  }
  EXPECT_EQ(by_stamp.size(), stamps_of(true).size());
  for (const std::int64_t stamp : stamps_of(true)) {
    const std::vector<Arrived>& copies = by_stamp[stamp];
    EXPECT_EQ(std::ranges::count(copies, false, &Arrived::decode_only), 1) << stamp;
    ASSERT_LE(copies.size(), 2U) << stamp;
    if (copies.size() == 2) {
      EXPECT_EQ(copies[0].segment + 1, copies[1].segment) << stamp;
    }
  }
}

void FeedOfAClip::expect_frames_before(const std::vector<ArrivedSegment>& all,
                                       std::int64_t from) const {
  for (const ArrivedSegment& segment : all) {
    std::int64_t first = INT64_MAX;
    for (const Arrived& packet : segment.video())
      if (!packet.decode_only && packet.pts >= from) first = std::min(first, packet.pts);
    const auto is_before = [&](const AVPacket* packet) {
      return packet->pts >= from && packet->pts < first;
    };
    EXPECT_EQ(segment.frames_before, std::ranges::count_if(all_of(true), is_before))
        << segment.number;
  }
}

/// Returns the stamps of the packets that follow a key picture in the file but are shown before it.
std::vector<std::int64_t> FeedOfAClip::leading() const {
  std::vector<std::int64_t> found;
  const AVPacket* key = nullptr;
  for (const AVPacket* packet : all_of(true)) {
    if ((packet->flags & AV_PKT_FLAG_KEY) != 0) key = packet;
    if (key != nullptr && packet->pts < key->pts) found.push_back(packet->dts);
  }
  return found;
}

// Feed decides about a cut only after a few more packets. Meanwhile it must pass on the packets of
// other streams.
void FeedOfAClip::expect_side_packets_between(const std::vector<ArrivedSegment>& all) const {
  std::map<std::int64_t, std::int64_t> before;  // for each stamp of the sound: number of video
                                                // packets before it in the file
  std::int64_t video = 0;
  for (const video::UniqueAVPacket& packet : packets_)
    if (is_video(*packet))
      ++video;
    else
      before[packet->dts] = video;
  std::vector<std::int64_t> arrived;
  video = 0;
  for (const ArrivedSegment& segment : all)
    for (const Arrived& packet : segment.packets)
      if (!packet.video) {
        arrived.push_back(packet.dts);
        EXPECT_LE(std::abs(before.at(packet.dts) - video),
                  video::kShortestSegment + video::kMostRunOn);
      } else if (!packet.decode_only) {
        ++video;
      }
  EXPECT_EQ(arrived, stamps_of(false));
}

TEST_F(FeedOfAClip, CutsAtEachIdrPictureOfClosedGops) {
  open(x264(230, ""), "c.mp4");
  const std::vector<ArrivedSegment> all = cut();
  ASSERT_EQ(all.size(), 5U);
  EXPECT_FALSE(all[0].starts_independently) << "nothing comes before it";
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_TRUE(all[i].starts_independently) << i;
    EXPECT_TRUE(all[i].video().front().starts_independently) << i;
    EXPECT_EQ(all[i].video().front().dts, stamps_of(true)[i * kGop]);
  }
  for (const ArrivedSegment& segment : all)
    EXPECT_EQ(std::ranges::count(segment.video(), true, &Arrived::decode_only), 0);
  expect_each_once(all);
  expect_frames_before(all);
  expect_side_packets_between(all);
}

TEST_F(FeedOfAClip, CarriesOpenGopsOnIntoTheSegmentBefore) {
  open(x264(230, ":open-gop=1:b-adapt=0"), "c.mp4");
  const std::vector<ArrivedSegment> all = cut();
  ASSERT_EQ(all.size(), 5U);
  for (const ArrivedSegment& segment : all)
    EXPECT_FALSE(segment.starts_independently) << segment.number;
  expect_each_once(all);
  expect_frames_before(all);
  expect_side_packets_between(all);
  // Pictures that are shown before a cut belong to the segment before it. The segment behind the
  // cut also decodes them.
  EXPECT_EQ(leading().size(), 4U * 3U);
  std::vector<std::int64_t> decode_only_at_begin;
  std::vector<std::int64_t> run_on;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const std::int64_t cut = all[i].video().front().dts;
    for (const Arrived& packet : all[i - 1].video())
      if (packet.dts > cut) run_on.push_back(packet.dts);
    for (const Arrived& packet : all[i].video()) {
      const bool of_next = i + 1 < all.size() && packet.dts >= all[i + 1].video().front().dts;
      if (packet.decode_only && !of_next) decode_only_at_begin.push_back(packet.dts);
    }
  }
  EXPECT_EQ(run_on, leading());
  EXPECT_EQ(decode_only_at_begin, leading());
}

TEST_F(FeedOfAClip, CountsOnlyFramesOfTheRange) {
  open(x264(230, ":open-gop=1:b-adapt=0"), "c.mp4");
  std::vector<std::int64_t> shown;
  for (const AVPacket* packet : all_of(true)) shown.push_back(packet->pts);
  std::ranges::sort(shown);
  const std::int64_t from = shown[20];
  const std::vector<ArrivedSegment> all = cut(from);
  ASSERT_EQ(all.size(), 5U);
  expect_frames_before(all, from);
}

/// A part begins with a cut. Its first packets come before all packets of the part before it.
TEST_F(FeedOfAClip, NumbersTheFramesOfAPartAsThoseOfTheWhole) {
  open(x264(230, ":open-gop=1:b-adapt=0"), "c.mp4");
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; const AVPacket* packet : all_of(true)) {
    if ((packet->flags & AV_PKT_FLAG_KEY) != 0) keys.push_back(i);
    ++i;
  }
  ASSERT_EQ(keys.size(), 5U);
  pipeline::PartJob part;
  part.cuts = {keys[1], keys[3]};
  for (part.number = 0; part.number <= part.cuts.size(); ++part.number) {
    SCOPED_TRACE(part.number);
    const std::vector<ArrivedSegment> all = cut_part(part, 1);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].number, 0);
    EXPECT_GT(all[0].video().size(), std::size_t{kGop});
    expect_frames_before(all);
    EXPECT_EQ(all[0].frames_before > 0, part.number > 0);
  }
}

TEST_F(FeedOfAClip, CutsAPartForItsLanesAsTheWhole) {
  open(x264(230, ":open-gop=1:b-adapt=0"), "c.mp4");
  const std::vector<ArrivedSegment> whole = cut();
  ASSERT_EQ(whole.size(), 5U);
  pipeline::PartJob part;
  for (const std::size_t segment : {1U, 4U}) {
    const std::vector<std::int64_t> all = stamps_of(true);
    part.cuts.push_back(std::ranges::find(all, whole[segment].video().front().dts) - all.begin());
  }
  std::vector<ArrivedSegment> joined;
  for (part.number = 0; part.number <= part.cuts.size(); ++part.number) {
    std::vector<ArrivedSegment> of_part = cut_part(part, 2);
    for (std::size_t i = 0; i < of_part.size(); ++i)
      EXPECT_EQ(of_part[i].number, static_cast<std::int64_t>(i));
    std::ranges::move(of_part, std::back_inserter(joined));
  }
  ASSERT_EQ(joined.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_TRUE(
        std::ranges::equal(joined[i].video(), whole[i].video(), {}, &Arrived::dts, &Arrived::dts))
        << i;
    EXPECT_EQ(joined[i].frames_before, whole[i].frames_before) << i;
  }
}

TEST_F(FeedOfAClip, HasOneSegmentWithoutLanes) {
  open(x264(100, ""), "c.mp4");
  pipeline::Feed feed(nullptr, 1, 1000, segments_, order_, {});
  give_all(feed);
  const std::vector<ArrivedSegment> all = drained(segments_);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(feed.segments(), 1);
  std::vector<std::int64_t> stamps;
  for (const Arrived& packet : all[0].packets) {
    EXPECT_TRUE(packet.video && !packet.decode_only && !packet.starts_independently);
    stamps.push_back(packet.dts);
  }
  EXPECT_EQ(stamps, stamps_of(true));
  // The sound doesn't pass through the segment, and doesn't wait for an encoder that looks ahead.
  order_.expect(0, 0);
  std::vector<std::int64_t> sound;
  while (const std::optional<pipeline::OrderedItem> item = order_.next())
    sound.push_back(std::get<pipeline::SidePacket>(*item).packet->dts);
  EXPECT_EQ(sound, stamps_of(false));
}

TEST_F(FeedOfAClip, EndsItsOneSegmentWithoutAnyPacket) {
  open(x264(40, ""), "c.mp4");
  packets_.clear();
  const std::vector<ArrivedSegment> with_cuts = cut();
  ASSERT_EQ(with_cuts.size(), 1U);
  EXPECT_THAT(with_cuts[0].packets, IsEmpty());
  pipeline::Segments others(1, {});
  pipeline::Feed feed(nullptr, 1, 1, others, order_, {});
  feed.finish();
  const std::vector<ArrivedSegment> without = drained(others);
  ASSERT_EQ(without.size(), 1U);
  EXPECT_THAT(without[0].packets, IsEmpty());
  order_.expect(0, 0);
  EXPECT_FALSE(order_.next().has_value()) << "the order knows how many there are";
}

TEST_F(FeedOfAClip, KeepsSoundThatNoVideoComesWith) {
  open(x264(40, ""), "c.mp4");
  std::erase_if(packets_, [&](const video::UniqueAVPacket& packet) { return is_video(*packet); });
  const std::vector<ArrivedSegment> all = cut();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].of(false).size(), stamps_of(false).size());
  expect_side_packets_between(all);
}

TEST_F(FeedOfAClip, KeepsSoundBehindTheLastPicture) {
  open(x264(100, ""), "c.mp4");
  // The whole video comes before the sound, as in a file whose sound was written last.
  std::ranges::stable_partition(
      packets_, [&](const video::UniqueAVPacket& packet) { return is_video(*packet); });
  const std::vector<ArrivedSegment> all = cut();
  ASSERT_EQ(all.size(), 2U);
  expect_each_once(all);
  EXPECT_THAT(all[0].of(false), IsEmpty());
  EXPECT_EQ(all[1].of(false).size(), stamps_of(false).size());
}

TEST_F(FeedOfAClip, WaitsForALaneUntilAStop) {
  open(x264(40, ""), "c.mp4");
  std::stop_source stop;
  pipeline::Segments segments(1, stop.get_token());
  std::latch begun(1);
  bool stopped = false;
  std::jthread reader([&] {
    pipeline::Feed feed(nullptr, 1, 2, segments, order_, stop.get_token());
    begun.count_down();
    try {
      give_all(feed);
    } catch (const Stopped&) {
      stopped = true;
    }
  });
  begun.wait();
  stop.request_stop();
  reader.join();
  EXPECT_TRUE(stopped);
}

// Packets that wait are decoded after a stop, too. So a part must not let all its packets wait.
TEST_F(FeedOfAClip, LetsAsFewPacketsOfAPartWaitAsOfAWholeVideo) {
  open(x264(240, ""), "c.mp4");
  pipeline::PartJob part;
  part.cuts = {kGop};
  part.number = 1;
  std::stop_source stop;
  pipeline::Segments segments(1, stop.get_token());
  std::future<void> reading = std::async(std::launch::async, [&] {
    pipeline::Feed feed(parameters(), 1, 2, segments, order_, stop.get_token(), &part);
    for (const AVPacket* const packet : all_of(true))
      feed.give(video::ReadPacket{video::reference(*packet), {}});
  });
  EXPECT_EQ(reading.wait_for(std::chrono::seconds(1)), std::future_status::timeout);
  stop.request_stop();
  EXPECT_THROW(reading.get(), Stopped);
}

}  // namespace
}  // namespace facepipe::test
