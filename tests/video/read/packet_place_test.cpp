// Tests that reading can go on at a packet in the middle of an input: the packets from there on are
// those that reading from the beginning gives, or the place isn't found.
#include "video/read/packet_place.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"
#include "video/bitstream/packet_hash.h"
#include "video/read/demuxer.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kGroup = 24;  // frames from one key frame to the next

/// Facts about a packet of the video.
struct VideoPacket {
  std::uint64_t hash = 0;
  std::int64_t dts = 0;
  std::int64_t pos = 0;
};

VideoPacket facts_of(const AVPacket& packet) {
  video::PacketHash hash;
  hash.add(packet);
  return {hash.value(), packet.dts, packet.pos};
}

std::vector<VideoPacket> video_packets(video::Demuxer& demuxer) {
  std::vector<VideoPacket> packets;
  while (const video::UniqueAVPacket packet = demuxer.read())
    if (packet->stream_index == demuxer.video_index()) packets.push_back(facts_of(*packet));
  return packets;
}

/// Returns the place of the packets from `first` to `end`.
video::PacketPlace place_of(const std::vector<VideoPacket>& all, std::int64_t first,
                            std::int64_t end) {
  const VideoPacket& begin = all[static_cast<std::size_t>(first)];
  video::PacketPlace place{first, begin.dts, begin.pos, 0, 0};
  for (std::int64_t i = first; i < end; ++i) {
    place.hash = video::hash_of_both(place.hash, all[static_cast<std::size_t>(i)].hash, 1);
    ++place.packets;
  }
  return place;
}

struct Format {
  std::string name;     // of the test
  std::string file;     // its name decides the container
  std::string options;  // of ffmpeg, which copies the packets
  bool seeks = true;    // places are found
};

std::ostream& operator<<(std::ostream& out, const Format& format) { return out << format.name; }

class PacketPlaces : public testing::TestWithParam<Format> {
 protected:
  /// Makes clips whose pictures before a key frame in the order of display come behind it in the
  /// file.
  PacketPlaces() {
    const fs::path made = dir_ / "made.mp4";
    const std::string group = std::to_string(kGroup);
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x96:r=25:d=12 -f lavfi -i sine=d=12 -c:v libx264 -threads 1 "
        "-bf 3 -x264-params keyint=" +
            group + ":min-keyint=" + group + ":scenecut=0:open-gop=1 -c:a mp3",
        made);
    ffmpeg("-i " + made.string() + " " + GetParam().options, clip_);
  }

  const TemporaryFolder dir_;
  const fs::path clip_ = dir_ / GetParam().file;
};

TEST_P(PacketPlaces, AreFoundExactly) {
  video::Demuxer whole(clip_.string(), {});
  const std::vector<VideoPacket> all = video_packets(whole);
  const auto packets = std::ssize(all);
  ASSERT_GE(packets, 10 * kGroup);
  int found = 0;
  for (std::int64_t first = kGroup; first + 2 * kGroup < packets; first += kGroup) {
    SCOPED_TRACE(first);
    video::Demuxer demuxer(clip_.string(), {});
    static_cast<void>(demuxer.read());  // a job knows the first picture
    const auto read = go_to(demuxer, place_of(all, first, first + kGroup));
    if (!read) continue;
    ++found;
    ASSERT_EQ(std::ssize(*read), kGroup);
    std::vector<VideoPacket> behind = video_packets(demuxer);
    ASSERT_EQ(std::ssize(behind), packets - first - kGroup);
    for (std::size_t i = 0; i < behind.size(); ++i)
      ASSERT_EQ(behind[i].hash, all[static_cast<std::size_t>(first + kGroup) + i].hash) << i;
    EXPECT_EQ(demuxer.shortfall(), whole.shortfall());
  }
  EXPECT_EQ(found > 5, GetParam().seeks) << found;
}

TEST_P(PacketPlaces, OfOtherPacketsAreNotFound) {
  video::Demuxer whole(clip_.string(), {});
  const std::vector<VideoPacket> all = video_packets(whole);
  const video::PacketPlace place = place_of(all, 4 * kGroup, 5 * kGroup);
  std::vector<video::PacketPlace> others(4, place);
  ++others[0].hash;
  ++others[1].pos;
  others[2].dts = INT64_MAX / 4;
  others[3].packets = 1 << 20;
  for (std::size_t i = 0; i < others.size(); ++i) {
    video::Demuxer demuxer(clip_.string(), {});
    const auto found = go_to(demuxer, others[i]);
    // A wrong stamp only moves the demuxer to another place, from which the packets may be found.
    EXPECT_TRUE(!found || i == 2) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PacketPlaces,
    testing::Values(Format{"Mp4", "c.mp4", "-c copy"},
                    Format{"Mp4WithAnEditList", "c.mp4", "-ss 0.7 -c copy"},
                    Format{"FragmentedMp4", "c.mp4", "-c copy -movflags frag_keyframe+empty_moov"},
                    Format{"Matroska", "c.mkv", "-c copy"},
                    Format{"MatroskaWithoutCues", "c.mkv", "-c copy -live 1"},
                    Format{"MpegTs", "c.ts", "-c copy"}, Format{"Avi", "c.avi", "-c copy"},
                    Format{"Flv", "c.flv", "-c copy"},
                    Format{"MotionJpeg", "c.mov", "-c:v mjpeg -c:a copy"}),
    [](const auto& shown) { return shown.param.name; });

}  // namespace
}  // namespace facepipe::test
