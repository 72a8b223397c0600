// Tests part files: what is read equals what was written, and nothing is read from a file that is
// incomplete or damaged.
#include "pipeline/parts/part_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/packets.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using pipeline::PartFacts;
using pipeline::PartFrame;
using pipeline::PartReader;
using pipeline::PartWriter;

/// Makes a frame. Its numbers are all different.
pipeline::FinishedFrame frame(std::int64_t index, bool with_faces) {
  pipeline::FinishedFrame made;
  made.coded = {1000 + 40 * index, 40};
  FrameRecord& record = made.encoded.record;
  record.index = index;
  record.size = {320, 192};
  record.device = {DeviceKind::cuda, 3};
  record.damaged = index == 1;
  record.candidates = 7;
  const Clock::time_point now = Clock::now();
  record.times[StageId::decode] = {now, now + std::chrono::milliseconds(2)};
  record.times.cpu_ms[2] = 0.25F;
  if (with_faces) {
    record.face_count = 2;
    record.faces.push_back({1, 2, 3.5F, 4}, 0.5F, Landmarks{Point{1, 2}, Point{3, 4}});
    record.faces.push_back({5, 6, 7, 8.25F}, 0.75F, kNoLandmarks);
    record.faces.set_class_of_last(2);
    record.face_tracks = {kNoTrack, 5 + index};
  }
  record.pts_s = 0.25 * static_cast<double>(index);
  made.encoded.packet = packet_of({1, 2, static_cast<std::uint8_t>(index)});
  std::uint8_t* const side =
      av_packet_new_side_data(made.encoded.packet.get(), AV_PKT_DATA_QUALITY_STATS, 8);
  std::fill_n(side, 8, std::uint8_t{9});
  return made;
}

PartFacts some_facts() {
  PartFacts facts;
  facts.key = "key";
  facts.maker = {"openvino", "f32",     "abc", "libx264", "matroska",
                 {1, 90000}, {1, 2, 3}, 3,     13,        "def"};
  facts.host = "worker";
  facts.ledger.packets = 3;
  facts.ledger.lost_at_s = {1.5};
  facts.candidates_ignored = 4;
  facts.network.size = Size{64, 32};
  facts.network.tiling.emplace().columns = 2;
  facts.told = {"a sentence", "another one"};
  pipeline::HiddenPart& hidden = facts.hidden.emplace();
  hidden.tracks_begun = 12;
  hidden.counts = {1, 2, 3, 4};
  hidden.counts.likely_at.add({1, 2});
  hidden.counts.likely_at.add({9, 9.5});
  hidden.tracks.frames = 3;
  hidden.tracks.tracks[7] = {
      {{40, {1, 2, 3, 4}, track::BoxState::held}, {80, {5, 6, 7, 8}}}, {1}, 0.75F, true, 2};
  hidden.tracks.tracks[9] = {};
  hidden.next_pts = 1234;
  return facts;
}

class PartFiles : public testing::Test {
 protected:
  PartFiles() {
    PartWriter writer(file_);
    for (const std::int64_t index : {0, 2, 1}) writer.write(frame(index, index > 0));
    writer.finish(some_facts());
  }
  /// Reads the whole file.
  [[nodiscard]] std::vector<PartFrame> frames() const {
    PartReader reader(file_);
    std::vector<PartFrame> all;
    while (std::optional<PartFrame> next = reader.next()) all.push_back(std::move(*next));
    return all;
  }
  void leave(const std::string& bytes) const { std::ofstream(file_, std::ios::binary) << bytes; }

  const TemporaryFolder folder_;
  const fs::path file_ = folder_ / "part";
};

TEST_F(PartFiles, HoldTheFacts) {
  const PartFacts facts = PartReader(file_).facts();
  const PartFacts expected = some_facts();
  EXPECT_EQ(facts.key, expected.key);
  EXPECT_EQ(facts.maker, expected.maker);
  EXPECT_EQ(facts.host, expected.host);
  EXPECT_EQ(facts.ledger.packets, 3);
  EXPECT_EQ(facts.ledger.lost_at_s, expected.ledger.lost_at_s);
  EXPECT_EQ(facts.candidates_ignored, 4);
  EXPECT_EQ(facts.network.size, expected.network.size);
  EXPECT_EQ(facts.network.tiling, expected.network.tiling);
  EXPECT_EQ(facts.told, expected.told);
  ASSERT_TRUE(facts.hidden);
  EXPECT_EQ(facts.hidden->tracks_begun, 12);
  EXPECT_EQ(facts.hidden->counts.hidden, 1);
  EXPECT_EQ(facts.hidden->counts.likely, 4);
  ASSERT_EQ(facts.hidden->counts.likely_at.spans().size(), 2U);
  EXPECT_EQ(facts.hidden->counts.likely_at.spans()[1].to_s, 9.5);
  EXPECT_EQ(facts.hidden->next_pts, 1234);
  EXPECT_EQ(facts.hidden->tracks.frames, 3);
  EXPECT_EQ(facts.hidden->tracks.tracks, expected.hidden->tracks.tracks);
  EXPECT_EQ(facts.frames, 3);
  EXPECT_EQ(facts.lead, 1) << "frame 1 is the third in the file, but the second that is shown";
}

TEST_F(PartFiles, HoldTheFramesInTheOrderOfTheEncoder) {
  const std::vector<PartFrame> all = frames();
  ASSERT_EQ(all.size(), 3U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t index = std::vector<std::int64_t>{0, 2, 1}[i];
    const pipeline::FinishedFrame expected = frame(index, index > 0);
    const FrameRecord& record = all[i].record;
    EXPECT_EQ(all[i].coded.pts, expected.coded.pts);
    EXPECT_EQ(record.index, index);
    EXPECT_EQ(record.pts_s, expected.encoded.record.pts_s);
    EXPECT_EQ(record.face_tracks, expected.encoded.record.face_tracks);
    EXPECT_EQ(record.size, (Size{320, 192}));
    EXPECT_EQ(record.device, (Device{DeviceKind::cuda, 3}));
    EXPECT_EQ(record.damaged, index == 1);
    EXPECT_EQ(record.faces.boxes, expected.encoded.record.faces.boxes);
    EXPECT_EQ(record.faces.scores, expected.encoded.record.faces.scores);
    EXPECT_EQ(record.faces.classes, expected.encoded.record.faces.classes);
    EXPECT_EQ(record.faces.landmarks.size(), expected.encoded.record.faces.landmarks.size());
    EXPECT_EQ(record.times[StageId::decode].milliseconds(), 2);
    EXPECT_FALSE(record.times[StageId::nms].ran());
    EXPECT_EQ(record.times.cpu_ms[2], 0.25F);
    const AVPacket& packet = *all[i].packet;
    EXPECT_EQ(std::string(packet.data, packet.data + packet.size),
              (std::string{1, 2, static_cast<char>(index)}));
    EXPECT_EQ(packet.flags, AV_PKT_FLAG_KEY);
    ASSERT_EQ(packet.side_data_elems, 1);
    EXPECT_EQ(packet.side_data[0].size, 8U);
  }
}

// A muxer would take the bytes of a packet with other flags for a pointer.
TEST_F(PartFiles, GivePacketsOnlyTheFlagsThatPacketsOfFilesHave) {
  {
    PartWriter writer(file_);
    pipeline::FinishedFrame made = frame(0, false);
    made.encoded.packet->flags = ~0;
    writer.write(made);
    writer.finish(some_facts());
  }
  const std::vector<PartFrame> all = frames();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].packet->flags,
            AV_PKT_FLAG_KEY | AV_PKT_FLAG_CORRUPT | AV_PKT_FLAG_DISCARD | AV_PKT_FLAG_DISPOSABLE);
}

TEST_F(PartFiles, AreRefusedIfTheyAreIncomplete) {
  const std::string whole = read_file(file_);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    leave(whole.substr(0, bytes));
    expect_error(ErrorKind::input, file_.string(), [&] { static_cast<void>(frames()); });
  }
  leave(whole + "more");
  expect_error(ErrorKind::input, file_.string(), [&] { static_cast<void>(frames()); });
}

TEST_F(PartFiles, AreRefusedIfAByteHasChanged) {
  const std::string whole = read_file(file_);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    leave(damaged);
    expect_error(ErrorKind::input, file_.string(), [&] { static_cast<void>(frames()); });
  }
}

/// Writes a part file of one frame with these facts and tracks.
void write_part(const fs::path& file, PartFacts facts, std::vector<std::int64_t> tracks) {
  PartWriter writer(file);
  pipeline::FinishedFrame made = frame(0, true);
  made.encoded.record.face_tracks = std::move(tracks);
  writer.write(made);
  writer.finish(std::move(facts));
}

TEST_F(PartFiles, AreRefusedIfTheyNumberTracksAsNoProgramDoes) {
  const auto expect_refused = [&] {
    expect_error(ErrorKind::input, "is damaged", [&] { static_cast<void>(frames()); });
  };
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  for (const std::vector<std::int64_t>& tracks :
       std::vector<std::vector<std::int64_t>>{{0}, {0, -2}, {0, kHuge}}) {
    write_part(file_, some_facts(), tracks);
    expect_refused();
  }
  write_part(file_, some_facts(), {});
  EXPECT_EQ(frames().size(), 1U);
  const std::vector<std::function<void(pipeline::HiddenPart&)>> changes{
      [](pipeline::HiddenPart& hidden) { hidden.tracks_begun = -1; },
      [](pipeline::HiddenPart& hidden) { hidden.tracks_begun = kHuge; },
      [](pipeline::HiddenPart& hidden) { hidden.tracks.frames = -1; },
      [](pipeline::HiddenPart& hidden) { hidden.tracks.tracks[-3] = {}; },
      [](pipeline::HiddenPart& hidden) { hidden.tracks.tracks[7].alone = {2}; },
      [](pipeline::HiddenPart& hidden) {
        hidden.tracks.tracks[7].boxes[0].state = static_cast<track::BoxState>(3);
      }};
  for (const auto& change : changes) {
    PartFacts facts = some_facts();
    change(*facts.hidden);
    write_part(file_, std::move(facts), {});
    expect_refused();
  }
}

TEST_F(PartFiles, HaveNoNameBeforeTheyAreComplete) {
  const fs::path other = folder_ / "other";
  {
    PartWriter writer(other);
    writer.write(frame(0, true));
    EXPECT_FALSE(fs::exists(other));
  }
  EXPECT_FALSE(fs::exists(other));
  expect_error(ErrorKind::input, "can't be opened", [&] { const PartReader none(other); });
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"part"});
}

}  // namespace
}  // namespace facepipe::test
