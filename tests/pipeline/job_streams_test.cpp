// These tests check what a run must keep besides the video: sound, subtitles, attachments,
// chapters, metadata.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// The suite makes Matroska and MP4 files with streams of several kinds.
class Streams : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_.emplace();
    write("subtitles.srt",
          "1\n00:00:00,200 --> 00:00:01,000\nHello\n\n2\n00:00:01,200 --> 00:00:01,900\nWorld\n");
    write("chapters.txt",
          ";FFMETADATA1\ntitle=A "
          "title\nartist=Somebody\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=800\n"
          "title=First\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=800\nEND=2000\ntitle=Second\n");
    write("font.ttf", "not really a font");
    const std::string at = folder_->path().string() + "/";
    ffmpeg(
        "-f lavfi -i testsrc2=s=128x96:r=25:d=2 -f lavfi -i sine=440:d=2 -f lavfi -i "
        "sine=880:d=2 -i " +
            at + "subtitles.srt -i " + at +
            "chapters.txt -map 0 -map 1 -map 2 "
            "-map 3 -map_metadata 4 -map_chapters 4 -c:v libx264 -preset ultrafast -c:a aac -c:s "
            "srt "
            "-metadata:s:a:0 language=eng -metadata:s:a:1 language=deu -metadata:s:s:0 "
            "language=fra "
            "-attach " +
            at +
            "font.ttf -metadata:s:t mimetype=application/x-truetype-font "
            "-avoid_negative_ts disabled",
        all_mkv());
    ffmpeg("-i " + all_mkv().string() +
               " -map 0:v -map 0:a -map 0:s -c copy -c:s mov_text "
               "-timecode 01:02:03:04",
           all_mp4());
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::filesystem::path all_mkv() { return *folder_ / "all.mkv"; }
  static std::filesystem::path all_mp4() { return *folder_ / "all.mp4"; }
  static void write(const char* name, const std::string& text) {
    std::ofstream(*folder_ / name) << text;
  }

  static inline std::optional<TemporaryFolder> folder_;
  TemporaryFolder out_;
};

/// Returns the codec names of all streams, in the order of the file.
std::vector<std::string> codecs_of(const std::filesystem::path& file) {
  std::vector<std::string> result;
  const nlohmann::json probed = probe(file);
  for (const auto& stream : probed.at("streams"))
    result.push_back(stream.value("codec_name", stream.value("codec_tag_string", "")));
  return result;
}

TEST_F(Streams, ContainerTimesKindTable) {
  struct Case {
    std::filesystem::path input;
    const char* output;
    std::vector<std::string> codecs;
    std::vector<std::string> notices;
  };
  const std::vector<Case> cases{
      {all_mkv(), "a.mkv", {"h264", "aac", "aac", "subrip", "ttf"}, {}},
      // MP4 and QuickTime store chapters in an additional track.
      {all_mkv(),
       "b.mp4",
       {"h264", "aac", "aac", "mov_text", "bin_data"},
       {"converted to mov_text", "attachment"}},
      {all_mkv(),
       "c.mov",
       {"h264", "aac", "aac", "mov_text", "bin_data"},
       {"converted to mov_text", "attachment"}},
      {all_mkv(), "d.ts", {"h264", "aac", "aac"}, {"subtitle stream 3", "attachment"}},
      {all_mkv(), "e.avi", {"h264", "aac", "aac"}, {"subtitle stream 3", "attachment"}},
      {all_mp4(),
       "f.mp4",
       {"h264", "aac", "aac", "mov_text", "bin_data", "tmcd"},
       {"timecode tag"}},
      {all_mp4(),
       "g.mov",
       {"h264", "aac", "aac", "mov_text", "bin_data", "tmcd"},
       {"timecode tag"}},
      {all_mp4(),
       "h.mkv",
       {"h264", "aac", "aac", "subrip"},
       {"converted to subrip", "timecode tag"}},
  };
  for (const Case& c : cases) {
    const JobRun run = run_fake_job(lossless_job(c.input, out_ / c.output));
    EXPECT_EQ(codecs_of(out_ / c.output), c.codecs) << c.output;
    EXPECT_EQ(run.result.notices.size(), c.notices.size()) << c.output;
    for (const std::string& notice : c.notices)
      EXPECT_THAT(run.result.notices, Contains(HasSubstr(notice))) << c.output;
    EXPECT_EQ(run.result.ledger.written, 50) << c.output;
  }
}

TEST_F(Streams, SoundIsCopiedPacketByPacket) {
  const auto packets = [](const nlohmann::json& probed) {
    std::map<int, std::vector<std::pair<Stamp, std::string>>> result;
    for (const auto& stream : streams_of(probed, "audio")) {
      const int index = stream.at("index");
      const std::vector<Stamp> stamps = stamps_of(probed, index);
      std::size_t i = 0;
      for (const auto& packet : probed.at("packets"))
        if (packet.at("stream_index") == index &&
            packet.value("flags", "").find('D') == std::string::npos)
          result[index].emplace_back(stamps.at(i++), packet.at("size").get<std::string>());
    }
    return result;
  };
  run_fake_job(lossless_job(all_mp4(), out_ / "out.mp4"));
  EXPECT_EQ(packets(probe(out_ / "out.mp4")), packets(probe(all_mp4())));
}

TEST_F(Streams, SoundAndVideoStayTogetherInMatroska) {
  // AAC's priming begins before zero. The video's stamps must not change, although a muxer could
  // shift all stamps to begin at zero.
  run_fake_job(lossless_job(all_mp4(), out_ / "out.mkv"));
  EXPECT_EQ(video_stamps(out_ / "out.mkv"), video_stamps(all_mp4()));
}

TEST_F(Streams, SubtitlesSayTheSameAtTheSameTime) {
  run_fake_job(lossless_job(all_mkv(), out_ / "out.mp4"));
  ffmpeg("-i " + (out_ / "out.mp4").string() + " -map 0:s", out_ / "back.srt");
  std::ifstream back(out_ / "back.srt");
  const std::string text{std::istreambuf_iterator<char>(back), {}};
  EXPECT_THAT(text, HasSubstr("00:00:00,200 --> 00:00:01,000\nHello"));
  EXPECT_THAT(text, HasSubstr("00:00:01,200 --> 00:00:01,900\nWorld"));
}

TEST_F(Streams, ChaptersMetadataAndLanguages) {
  for (const char* name : {"out.mkv", "out.mp4"}) {
    run_fake_job(lossless_job(all_mkv(), out_ / name));
    const nlohmann::json probed = probe(out_ / name);
    ASSERT_EQ(probed.at("chapters").size(), 2U) << name;
    EXPECT_EQ(probed.at("chapters")[1].at("tags").at("title"), "Second");
    EXPECT_EQ(probed.at("chapters")[1].at("start_time"), "0.800000");
    const auto tags = probed.at("format").at("tags");
    EXPECT_EQ(tags.value("title", ""), "A title");
    EXPECT_EQ(tags.contains("ARTIST") ? tags.at("ARTIST") : tags.at("artist"), "Somebody");
    const auto audio = streams_of(probed, "audio");
    EXPECT_EQ(audio.at(0).at("tags").at("language"), "eng");
    EXPECT_TRUE(audio.at(1).at("tags").at("language") == "deu" ||
                audio.at(1).at("tags").at("language") == "ger");
  }
}

TEST_F(Streams, ChaptersMoveWithTheStart) {
  pipeline::JobOptions options = lossless_job(all_mkv(), out_ / "out.mkv");
  options.input.start_s = 0.4;
  run_fake_job(options);
  const nlohmann::json probed = probe(out_ / "out.mkv");
  ASSERT_EQ(probed.at("chapters").size(), 2U);
  EXPECT_EQ(probed.at("chapters")[0].at("start_time"), "0.000000");
  EXPECT_EQ(probed.at("chapters")[1].at("start_time"), "0.400000");
}

TEST_F(Streams, TheTimecodeIsKept) {
  run_fake_job(lossless_job(all_mp4(), out_ / "out.mov"));
  EXPECT_EQ(streams_of(probe(out_ / "out.mov"), "video").at(0).at("tags").at("timecode"),
            "01:02:03:04");
}

TEST_F(Streams, ACoverPictureIsKept) {
  ffmpeg("-f lavfi -i testsrc2=s=64x64:d=1:r=1 -frames:v 1", *folder_ / "cover.png");
  ffmpeg("-i " + all_mp4().string() + " -i " + (*folder_ / "cover.png").string() +
             " -map 0:v -map 0:a:0 -map 1 -c copy -disposition:v:1 attached_pic",
         *folder_ / "cover.mp4");
  for (const char* name : {"out.mp4", "out.mkv"}) {
    const JobRun run = run_fake_job(lossless_job(*folder_ / "cover.mp4", out_ / name));
    EXPECT_EQ(run.result.ledger.written, 50);
    const auto videos = streams_of(probe(out_ / name), "video");
    ASSERT_EQ(videos.size(), 2U) << name;
    EXPECT_EQ(videos.at(1).at("codec_name"), "png") << name;
    EXPECT_EQ(videos.at(1).at("disposition").at("attached_pic"), 1) << name;
  }
}

TEST_F(Streams, StrictRefusesToLeaveAnythingBehind) {
  pipeline::JobOptions options = lossless_job(all_mkv(), out_ / "out.ts");
  options.output.strict = true;
  try {
    run_fake_job(options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::output);
    EXPECT_THAT(error.what(), HasSubstr("subtitle stream 3"));
  }
  EXPECT_TRUE(out_.names().empty());
  // A converted stream loses nothing, so --strict accepts it.
  pipeline::JobOptions converted = lossless_job(all_mp4(), out_ / "out.mkv");
  converted.output.strict = true;
  EXPECT_NO_THROW(run_fake_job(converted));
}

TEST_F(Streams, OneFileHoldsASecondVideoStreamThatIsDropped) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=128x96:r=25:d=1 -f lavfi -i testsrc2=s=64x64:r=25:d=1 -map 0 -map 1 "
      "-c:v libx264 -preset ultrafast",
      *folder_ / "two.mkv");
  const JobRun run = run_fake_job(lossless_job(*folder_ / "two.mkv", out_ / "out.mkv"));
  EXPECT_EQ(streams_of(probe(out_ / "out.mkv"), "video").size(), 1U);
  EXPECT_THAT(run.result.notices, Contains(HasSubstr("only one video stream")));
}

}  // namespace
}  // namespace facepipe::test
