// These tests check streams besides the video. Such a stream can be damaged or late, belong to
// another program, or contain information about people and places. The tests check what the job
// does with these streams and what it reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/job.h"
#include "tests/support/packets.h"
#include "tests/support/picture_files.h"
#include "tests/support/remux.h"
#include "tests/support/temporary_folder.h"
#include "video/bitstream/codec_headers.h"
#include "video/bitstream/packet_bytes.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
namespace fs = std::filesystem;
using namespace std::string_literals;

constexpr const char* kVideo = "-f lavfi -i testsrc2=s=96x64:r=25:d=1 ";
constexpr const char* kSound = "-f lavfi -i sine=d=1 ";
constexpr const char* kEncoded = " -c:v libx264 -preset ultrafast -c:a aac ";

class SideStreams : public testing::Test {
 protected:
  static void SetUpTestSuite() { video::redirect_ffmpeg_log(); }

  /// Makes a clip of one second with test pictures and a tone.
  fs::path clip(const char* name, const std::string& more = {}) const {
    ffmpeg(kVideo + std::string(kSound) + kEncoded + more, folder_ / name);
    return folder_ / name;
  }
  [[nodiscard]] pipeline::JobOptions job(const fs::path& input, const char* output) const {
    return lossless_job(input, folder_ / output);
  }
  [[nodiscard]] pipeline::JobOptions hiding(const fs::path& input, const char* output) const {
    pipeline::JobOptions options = job(input, output);
    options.hide.emplace();
    return options;
  }
  /// Returns the types of an output's streams, in the order of the file.
  [[nodiscard]] std::vector<std::string> types(const char* output) const {
    std::vector<std::string> all;
    const nlohmann::json probed = probe(folder_ / output);
    for (const auto& stream : probed.at("streams")) all.push_back(stream.at("codec_type"));
    return all;
  }
  [[nodiscard]] std::string bytes_of(const char* output) const {
    return read_file(folder_ / output);
  }
  /// Expects that the job fails with --strict, and that the error contains `why`.
  void expect_strict_refuses(pipeline::JobOptions options, const char* why) const {
    options.output.strict = true;
    options.output.path = folder_ / ("strict" + options.output.path.extension().string());
    expect_error(ErrorKind::output, why, [&] { run_fake_job(options); });
    EXPECT_FALSE(fs::exists(options.output.path));
  }

  TemporaryFolder folder_;
};

// --- Streams that the format can't hold

constexpr std::size_t kTsPacket = 188;
int pid_of(const std::string& ts, std::size_t at) {
  return (static_cast<unsigned char>(ts[at + 1]) & 0x1F) << 8 |
         static_cast<unsigned char>(ts[at + 2]);
}
constexpr int kSoundPid = 0x101;

TEST_F(SideStreams, B4SoundWithoutPacketsIsDroppedAndTold) {
  const std::string whole = read_file(clip("av.ts"));
  std::string without;
  for (std::size_t at = 0; at + kTsPacket <= whole.size(); at += kTsPacket)
    if (pid_of(whole, at) != kSoundPid) without += whole.substr(at, kTsPacket);
  const fs::path input = folder_.write("silent.ts", without);
  for (const char* const output : {"a.mkv", "a.mp4", "a.ts"}) {
    const JobRun run = run_fake_job(job(input, output));
    EXPECT_EQ(run.result.ledger.written, 25) << output;
    EXPECT_THAT(types(output), ElementsAre("video")) << output;
    EXPECT_THAT(run.result.notices, Contains(HasSubstr("audio stream 1 (aac) dropped")));
  }
  expect_strict_refuses(job(input, "b.mkv"), "audio stream 1 (aac) dropped");
}

TEST_F(SideStreams, B4OneStreamThatTheMuxerRefusesCostsNoOther) {
  // FFmpeg's muxer writes TrueHD into MP4 only with the option -strict -2.
  ffmpeg(kVideo + std::string(kSound) + "-map 0 -map 1 -map 1 -c:v libx264 -preset ultrafast " +
             "-c:a:0 truehd -strict -2 -c:a:1 aac",
         folder_ / "in.mkv");
  const JobRun run = run_fake_job(job(folder_ / "in.mkv", "out.mp4"));
  EXPECT_THAT(types("out.mp4"), ElementsAre("video", "audio"));
  EXPECT_EQ(streams_of(probe(folder_ / "out.mp4"), "audio").at(0).at("codec_name"), "aac");
  EXPECT_THAT(run.result.notices, Contains(HasSubstr("(truehd) dropped: mp4 refuses it")));
  expect_strict_refuses(job(folder_ / "in.mkv", "again.mp4"), "(truehd) dropped: mp4 refuses it");
}

/// Damages the first two bytes of an ADTS header in the middle of the stream, so that they no
/// longer mark a header.
std::string with_damaged_sound(std::string ts, bool all = false) {
  std::size_t headers = 0;
  for (std::size_t at = 0; at + kTsPacket <= ts.size(); at += kTsPacket) {
    if (pid_of(ts, at) != kSoundPid || (ts[at + 1] & 0x40) == 0) continue;
    const std::size_t header = ts.find("\xFF\xF1", at + 4);
    if (header < at + kTsPacket && (++headers == 3 || all)) ts[header + 1] = '\0';
  }
  return ts;
}

TEST_F(SideStreams, D1DamagedSoundCostsItsPacketAlone) {
  const fs::path input = folder_.write("damaged.ts", with_damaged_sound(read_file(clip("av.ts"))));
  for (const char* const output : {"a.mkv", "a.mp4"}) {
    for (const pipeline::JobOptions& options : {job(input, output), hiding(input, output)}) {
      const JobRun run = run_fake_job(options);
      EXPECT_EQ(run.result.ledger.written, 25) << output;
      EXPECT_FALSE(run.result.failure) << output;
      EXPECT_GT(run.result.side_packets_lost, 0) << output;
      EXPECT_FALSE(run.result.intact());
      EXPECT_THAT(run.result.notices, Contains(HasSubstr("packets lost: ")));
      EXPECT_EQ(types(output).at(1), "audio");
      EXPECT_GT(packets_of(folder_ / output).size(), 25U + 20U) << "the rest of the sound";
    }
  }
}

TEST_F(SideStreams, D1SoundOfWhichNoPacketIsTakenIsAStreamThatTheFormatCannotHold) {
  const fs::path input =
      folder_.write("damaged.ts", with_damaged_sound(read_file(clip("av.ts")), true));
  const JobRun run = run_fake_job(job(input, "out.mkv"));
  EXPECT_EQ(run.result.ledger.written, 25);
  EXPECT_TRUE(run.result.intact());
  EXPECT_THAT(run.result.notices, Contains(HasSubstr("dropped: matroska refuses")));
  expect_strict_refuses(job(input, "again.mkv"), "dropped: matroska refuses");
}

TEST_F(SideStreams, D1WhatIsHiddenIsKeptWhereTheMuxerFails) {
  // In AVI, FFmpeg repeats a picture for each missing picture, but at most 60,000 times.
  ffmpeg(
      "-f lavfi -i testsrc2=s=96x64:r=25 -frames:v 10 -vf setpts=(N+75000*gte(N\\,5))/25/TB "
      "-fps_mode passthrough -c:v libx264 -preset ultrafast",
      folder_ / "gap.mkv");
  const JobRun run = run_fake_job(hiding(folder_ / "gap.mkv", "hidden.avi"));
  ASSERT_TRUE(run.result.failure);
  EXPECT_EQ(run.result.failure->kind(), ErrorKind::output);
  EXPECT_EQ(run.result.output.filename(), "hidden.partial.avi");
  EXPECT_EQ(packets_of(run.result.output).size(), 5U);
  EXPECT_FALSE(fs::exists(folder_ / "hidden.avi"));
  // A run that only draws keeps nothing after a failure, because it can be repeated.
  expect_error(ErrorKind::output, "drawn.avi",
               [&] { run_fake_job(job(folder_ / "gap.mkv", "drawn.avi")); });
}

TEST_F(SideStreams, D1IntactSoundLosesNothing) {
  const fs::path input = clip("av.mp4");
  for (const char* const output : {"a.mkv", "a.mp4", "a.ts", "a.avi", "a.flv"}) {
    const JobRun run = run_fake_job(job(input, output));
    EXPECT_EQ(run.result.side_packets_lost, 0) << output;
    EXPECT_TRUE(run.result.intact()) << output;
  }
}

TEST_F(SideStreams, D1SoundThatJumpsBackIsMendedAsFFmpegDoes) {
  // The video lasts two seconds, but the stamps of the sound in the second second are those of the
  // first second.
  const std::string muxed = " -copyts -muxdelay 0 -map 0:v -map 1:a ";
  ffmpeg(kVideo + std::string(kSound) + muxed + kEncoded, folder_ / "1.ts");
  ffmpeg("-itsoffset 1 " + std::string(kVideo) + kSound + muxed + kEncoded, folder_ / "2.ts");
  const fs::path input =
      folder_.write("jumps.ts", read_file(folder_ / "1.ts") + read_file(folder_ / "2.ts"));
  for (const char* const output : {"a.mkv", "a.mp4"}) {
    const JobRun run = run_fake_job(job(input, output));
    EXPECT_EQ(run.result.ledger.written, 50) << output;
    EXPECT_EQ(run.result.side_packets_lost, 0) << output;
    EXPECT_THAT(run.result.notices, Contains(HasSubstr("moved, because they didn't increase")))
        << output;
    std::int64_t last = -1;
    for (const FilePacket& packet : packets_of(folder_ / output)) {
      if (packet.stream != 1) continue;
      EXPECT_GE(packet.dts, last) << output;
      last = packet.dts;
    }
  }
}

// --- Streams that appear late

TEST_F(SideStreams, B5AStreamThatAppearsLateIsTold) {
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=5:d=12 -c:v flv", folder_ / "video.flv");
  ffmpeg(
      "-f lavfi -i testsrc2=s=96x64:r=5:d=1 -f lavfi -i sine=d=1 -c:v flv -c:a mp3 -ar 44100 "
      "-output_ts_offset 12",
      folder_ / "both.flv");
  constexpr std::size_t kHeader = 13;  // length of the file header and of the 4 bytes before the
                                       // first tag
  const fs::path input = folder_.write(
      "late.flv", read_file(folder_ / "video.flv") + bytes_of("both.flv").substr(kHeader));
  const JobRun run = run_fake_job(job(input, "out.mkv"));
  EXPECT_THAT(types("out.mkv"), ElementsAre("video"));
  EXPECT_THAT(run.result.notices, Contains(HasSubstr("audio stream 1 (mp3) dropped: it begins")));
  EXPECT_GE(run.result.ledger.written, 60);
  expect_strict_refuses(job(input, "again.mkv"), "audio stream 1 (mp3) dropped: it begins");
}

// --- Another program in the file

TEST_F(SideStreams, B15OnlyTheProgramOfTheVideoIsKept) {
  ffmpeg(kVideo + std::string(kSound) + "-f lavfi -i sine=880:d=1 " + kEncoded +
             "-map 0 -map 1 -map 2 -program title=first:st=0:st=1 -program title=second:st=2",
         folder_ / "two.ts");
  const JobRun run = run_fake_job(job(folder_ / "two.ts", "out.mkv"));
  EXPECT_THAT(types("out.mkv"), ElementsAre("video", "audio"));
  EXPECT_THAT(run.result.notices, ElementsAre(HasSubstr("belongs to another program")));
  expect_strict_refuses(job(folder_ / "two.ts", "again.mkv"), "belongs to another program");
}

// --- Text within streams

/// Adds comments to a Vorbis header. Other programs write such comments into Matroska, but FFmpeg
/// doesn't.
std::vector<std::uint8_t> with_comments(std::span<const std::uint8_t> header,
                                        const std::vector<std::string>& fields) {
  const std::size_t first = header[1];
  const std::size_t second = header[2];
  std::string comments = "\x03vorbis";
  comments.append(little(1, 4)).append("x").append(little(fields.size(), 4));
  for (const std::string& field : fields) comments.append(little(field.size(), 4)).append(field);
  comments += '\1';
  std::vector<std::uint8_t> result{2, header[1], static_cast<std::uint8_t>(comments.size())};
  const auto facts = header.subspan(3, first);
  const auto setup = header.subspan(3 + first + second);
  result.insert(result.end(), facts.begin(), facts.end());
  result.insert(result.end(), comments.begin(), comments.end());
  result.insert(result.end(), setup.begin(), setup.end());
  return result;
}

TEST_F(SideStreams, A8NoCommentsAreLeftInVorbisHeaders) {
  ffmpeg(kVideo + std::string(kSound) + "-c:v libx264 -preset ultrafast -c:a libvorbis",
         folder_ / "plain.mkv");
  remux(folder_ / "plain.mkv", folder_ / "in.mkv", [](AVStream& stream) {
    if (stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO)
      set_extradata(*stream.codecpar,
                    with_comments(video::header_of(*stream.codecpar),
                                  {"ARTIST=Somebody", "METADATA_BLOCK_PICTURE=UGljdHVyZQ"}));
  });
  ASSERT_THAT(bytes_of("in.mkv"), HasSubstr("Somebody"));
  for (const char* const output : {"out.mkv", "out.nut"}) {
    const JobRun run = run_fake_job(hiding(folder_ / "in.mkv", output));
    EXPECT_THAT(bytes_of(output), Not(HasSubstr("Somebody"))) << output;
    EXPECT_THAT(bytes_of(output), Not(HasSubstr("UGljdHVyZQ"))) << output;
    EXPECT_THAT(run.result.notices, Contains(HasSubstr("ARTIST, METADATA_BLOCK_PICTURE")));
    EXPECT_EQ(types(output).at(1), "audio") << output;
  }
  // The sound itself must not change.
  const auto decoded = [&](const char* name) {
    ffmpeg("-i " + (folder_ / name).string() + " -map 0:a -f s16le", folder_ / "sound.raw");
    return bytes_of("sound.raw");
  };
  EXPECT_EQ(decoded("out.mkv"), decoded("in.mkv"));
  // A run that hides nothing must keep the comments.
  run_fake_job(job(folder_ / "in.mkv", "kept.mkv"));
  EXPECT_THAT(bytes_of("kept.mkv"), HasSubstr("Somebody"));
}

TEST_F(SideStreams, A8OnlyStylesAreLeftOfAnAssHeader) {
  const fs::path text = folder_.write(
      "in.ass",
      "[Script Info]\n; by Somebody\nTitle: Somebody's birthday\nOriginal Script: Somebody\n"
      "ScriptType: v4.00+\nPlayResX: 384\nPlayResY: 288\n\n"
      "[Aegisub Project Garbage]\nVideo File: /home/somebody/birthday.mp4\n\n"
      "[V4+ Styles]\nFormat: Name, Fontname, Fontsize\nStyle: Default,Arial,16\n\n"
      "[Graphics]\nfilename: somebody.png\nSOMEBODY-ENCODED\n\n"
      "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
      "Dialogue: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,Hello\n");
  ffmpeg(kVideo + "-i "s + text.string() + " -map 0 -map 1 -c:v libx264 -c:s copy",
         folder_ / "in.mkv");
  ASSERT_THAT(bytes_of("in.mkv"), HasSubstr("Somebody's birthday"));
  const JobRun run = run_fake_job(hiding(folder_ / "in.mkv", "out.mkv"));
  const std::string bytes = bytes_of("out.mkv");
  for (const char* const word : {"omebody", "Garbage", "Graphics", "SOMEBODY", "birthday"})
    EXPECT_THAT(bytes, Not(HasSubstr(word)));
  for (const char* const kept : {"Style: Default,Arial,16", "PlayResX: 384", "Hello"})
    EXPECT_THAT(bytes, HasSubstr(kept));
  EXPECT_THAT(run.result.notices, Contains(HasSubstr("left out of its header")));
}

TEST_F(SideStreams, A8APictureAttachedAsAFontIsLeftOut) {
  ffmpeg("-f lavfi -i testsrc2=s=64x64 -frames:v 1", folder_ / "face.jpg");
  fs::rename(folder_ / "face.jpg", folder_ / "face.ttf");
  ffmpeg(kVideo + std::string(kEncoded) + "-attach " + (folder_ / "face.ttf").string() +
             " -metadata:s:t mimetype=application/x-truetype-font",
         folder_ / "in.mkv");
  const JobRun run = run_fake_job(hiding(folder_ / "in.mkv", "out.mkv"));
  EXPECT_THAT(types("out.mkv"), ElementsAre("video"));
  EXPECT_THAT(bytes_of("out.mkv"), Not(HasSubstr("\xff\xd8\xff")));
  EXPECT_THAT(run.result.notices, Contains(HasSubstr("it may show what is hidden")));
}

TEST_F(SideStreams, A8SubtitlesThatTellPlacesAreLeftOut) {
  const fs::path places = folder_.write("places.srt",
                                        "1\n00:00:00,000 --> 00:00:00,400\nNo fix yet\n\n"
                                        "2\n00:00:00,400 --> 00:00:00,700\n"
                                        "F/2.8, GPS (8.5417, 47.3769, 12)\n\n"
                                        "3\n00:00:00,700 --> 00:00:01,000\nH 12.5m\n\n");
  const fs::path words =
      folder_.write("words.srt", "1\n00:00:00,000 --> 00:00:01,000\nMy GPS: no 3.5 today\n");
  ffmpeg(kVideo + "-i "s + places.string() + " -i " + words.string() +
             " -map 0 -map 1 -map 2 -c:v libx264 -c:s mov_text",
         folder_ / "in.mp4");
  for (const char* const output : {"out.mp4", "out.mkv"}) {
    const JobRun run = run_fake_job(hiding(folder_ / "in.mp4", output));
    const std::string bytes = bytes_of(output);
    EXPECT_THAT(bytes, Not(HasSubstr("47.3769"))) << output;
    EXPECT_THAT(bytes, Not(HasSubstr("H 12.5m"))) << output;
    EXPECT_THAT(bytes, HasSubstr("No fix yet")) << output;
    EXPECT_THAT(bytes, HasSubstr("My GPS: no 3.5 today")) << output;
    EXPECT_THAT(run.result.notices,
                Contains(HasSubstr("subtitle stream 1 (mov_text, und): left out")));
    EXPECT_THAT(run.result.notices, Not(Contains(HasSubstr("stream 2 (mov_text, und): left out"))));
  }
  run_fake_job(job(folder_ / "in.mp4", "kept.mp4"));
  EXPECT_THAT(bytes_of("kept.mp4"), HasSubstr("47.3769"));
}

TEST_F(SideStreams, A8TitlesOfChaptersAreLeftOut) {
  const fs::path chapters = folder_.write(
      "chapters.txt",
      ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=Somebody arrives\n");
  ffmpeg(kVideo + "-i "s + chapters.string() + " -map 0 -map_chapters 1 -c:v libx264",
         folder_ / "in.mp4");
  for (const char* const output : {"out.mp4", "out.mkv"}) {
    run_fake_job(hiding(folder_ / "in.mp4", output));
    EXPECT_THAT(bytes_of(output), Not(HasSubstr("Somebody"))) << output;
  }
}

}  // namespace
}  // namespace facepipe::test
