// These tests write a single picture, or numbered pictures, which must appear together when all are
// written.
#include "video/write/image_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/clips.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(SequenceName, HasOneNumber) {
  for (const char* const name : {"%d.png", "a/%05d.png", "f_%3d_g.jpg", "100%%_%d.png", "a/%d"})
    EXPECT_TRUE(video::is_sequence_name(name)) << name;
  for (const char* const name :
       {"o.png", "100%.png", "%%d.png", "%d/o.png", "%s.png", "%d_%d.png", "a%20b.png", ""})
    EXPECT_FALSE(video::is_sequence_name(name)) << name;
}

TEST(ExistingPicture, IsOneThatTheSequenceWouldReplace) {
  const TemporaryFolder folder;
  const fs::path pattern = folder / "a1%03d.p%%ng";
  for (const char* const other : {"a11.p%ng", "a1001.png", "a1001.p%ngx", "xa1001.p%ng",
                                  "a1-01.p%ng", "a1.p%ng", "a10001.p%ng", "a1%03d.p%%ng"}) {
    folder.write(other, "");
    EXPECT_EQ(video::existing_picture(pattern), fs::path()) << other;
  }
  for (const char* const picture : {"a1000.p%ng", "a1001.p%ng", "a1999.p%ng", "a11000.p%ng"}) {
    folder.write(picture, "");
    EXPECT_EQ(video::existing_picture(pattern), folder / picture);
    fs::remove(folder / picture);
  }
  EXPECT_EQ(video::existing_picture(folder / "no such folder/%d.png"), fs::path());
}

TEST(ImageSequence, NeedsItsFolder) {
  const TemporaryFolder folder;
  EXPECT_THROW(video::ImageSequence(folder / "no/%d.png", ExistingTarget::refuse), Error);
}

TEST(ImageSequence, IsWrittenByOneRunAtATime) {
  const TemporaryFolder folder;
  const video::ImageSequence first(folder / "%d.png", ExistingTarget::refuse);
  EXPECT_THROW(video::ImageSequence(folder / "%d.png", ExistingTarget::refuse), Error);
}

// --- Whole runs

constexpr int kFrames = 12;

class PictureOutput : public testing::Test {
 protected:
  void SetUp() override {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10 -frames:v 12 -c:v ffv1 -pix_fmt gbrp", in_ / "a.mkv");
  }
  [[nodiscard]] pipeline::JobOptions job(const fs::path& output) const {
    pipeline::JobOptions options;
    options.input.name = (in_ / "a.mkv").string();
    options.output.path = output;
    options.overlay = {false, false, false, false};
    return options;
  }
  TemporaryFolder in_;
  TemporaryFolder out_;
};

TEST_F(PictureOutput, AVideoNeedsANumberInTheName) {
  try {
    run_fake_job(job(out_ / "o.png"));
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::output);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("o.png: holds only one picture"), HasSubstr("o%05d.png")));
  }
  EXPECT_THAT(out_.names(), IsEmpty());
}

TEST_F(PictureOutput, OneFrameOfAVideoNeedsNone) {
  pipeline::JobOptions options = job(out_ / "o.png");
  options.input.start_s = 0.5;
  options.input.end_s = 0.6;
  EXPECT_EQ(run_fake_job(options).result.ledger.written, 1);
  EXPECT_THAT(out_.names(), ElementsAre("o.png"));
}

TEST_F(PictureOutput, EachFrameIsAFile) {
  const fs::path folder = out_ / "100%d";
  fs::create_directory(folder);
  const JobRun run = run_fake_job(job(folder / "f%03d.png"));
  EXPECT_EQ(run.result.ledger.written, kFrames);
  EXPECT_EQ(run.result.output, folder / "f%03d.png");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), kFrames);
  fs::rename(folder, out_ / "plain");  // ffmpeg would take the "%d" in this folder's name for a
                                       // number
  ffmpeg("-i " + (in_ / "a.mkv").string() + " -f rawvideo -pix_fmt rgb24", in_ / "expected.rgb");
  ffmpeg("-i " + (out_ / "plain/f%03d.png").string() + " -f rawvideo -pix_fmt rgb24",
         in_ / "found.rgb");
  EXPECT_EQ(read_file(in_ / "found.rgb"), read_file(in_ / "expected.rgb"));
}

TEST_F(PictureOutput, APictureThatAppearsMeanwhileStays) {
  FakeBehaviour behaviour;
  behaviour.on_start = [this] { out_.write("2.png", "somebody's"); };
  try {
    run_fake_job(job(out_ / "%d.png"), behaviour);
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("2.png: another program created this file during the run"));
  }
  EXPECT_EQ(read_file(out_ / "2.png"), "somebody's");
  EXPECT_TRUE(fs::exists(out_ / "1.png"));
  EXPECT_TRUE(fs::exists(out_ / "12.partial.png")) << "nothing that was made is lost";
  EXPECT_EQ(out_.names().size(), std::size_t{kFrames + 2}) << "a record tells of the partial ones";
}

TEST_F(PictureOutput, PicturesAreReplacedWhereThatIsWanted) {
  out_.write("2.png", "old");
  pipeline::JobOptions options = job(out_ / "%d.png");
  options.output.existing = ExistingTarget::replace;
  EXPECT_EQ(run_fake_job(options).result.ledger.written, kFrames);
  EXPECT_EQ(read_file(out_ / "2.png").substr(1, 3), "PNG");
  EXPECT_EQ(out_.names().size(), std::size_t{kFrames});
}

TEST_F(PictureOutput, AFullDiskLeavesWholePicturesAlone) {
  const FileSizeLimit limit(100);  // less than a picture
  EXPECT_THROW(run_fake_job(job(out_ / "%d.png")), Error);
  EXPECT_THAT(out_.names(), IsEmpty());
}

TEST_F(PictureOutput, LinksInTheWayAreNotWrittenThrough) {
  in_.write("precious.txt", "precious");
  for (const char* const name : {"1.partial.png", "2.partial-2.png", ".%d.png.facepipe"}) {
    fs::create_symlink(in_ / "precious.txt", out_ / name);
    try {
      run_fake_job(job(out_ / "%d.png"));
    } catch (const Error&) {  // a refusal is correct, too
    }
    EXPECT_EQ(read_file(in_ / "precious.txt"), "precious") << name;
    for (const std::string& made : out_.names()) fs::remove(out_ / made);
  }
}

TEST_F(PictureOutput, AFailureLeavesNoPicture) {
  FakeBehaviour behaviour;
  int frames = 0;
  behaviour.on_collect = [&frames] {
    if (++frames == kFrames) throw Error(ErrorKind::device, "the last frame fails");
  };
  EXPECT_THROW(run_fake_job(job(out_ / "%d.png"), behaviour), Error);
  EXPECT_THAT(out_.names(), IsEmpty());
}

TEST_F(PictureOutput, AnInterruptedRunKeepsItsPicturesApart) {
  std::stop_source stop;
  FakeBehaviour behaviour;
  int frames = 0;
  behaviour.on_collect = [&] {
    if (++frames == 3) stop.request_stop();
  };
  const JobRun run = run_fake_job(job(out_ / "%d.png"), behaviour, stop.get_token());
  EXPECT_TRUE(run.result.interrupted);
  EXPECT_EQ(run.result.output, out_ / "%d.partial.png");
  EXPECT_GE(run.result.ledger.written, 3);
  EXPECT_EQ(out_.names().size(), static_cast<std::size_t>(run.result.ledger.written) + 1);
  for (const std::string& name : out_.names())
    EXPECT_THAT(name, testing::AnyOf(".%d.png.facepipe", HasSubstr(".partial.png")));
}

TEST_F(PictureOutput, C8PicturesThatAreNeedlessGoWithTheNextSuccess) {
  for (int i = 0; i < 2; ++i) {
    std::stop_source stop;
    FakeBehaviour behaviour;
    int frames = 0;
    behaviour.on_collect = [&] {
      if (++frames == 3) stop.request_stop();
    };
    EXPECT_TRUE(run_fake_job(job(out_ / "%d.png"), behaviour, stop.get_token()).result.interrupted);
  }
  EXPECT_TRUE(fs::exists(out_ / "1.partial.png"));
  EXPECT_TRUE(fs::exists(out_ / "1.partial-2.png"));
  out_.write("1.partial-2.png", "the user's");
  EXPECT_EQ(run_fake_job(job(out_ / "%d.png")).result.ledger.written, kFrames);
  EXPECT_EQ(read_file(out_ / "1.partial-2.png"), "the user's");
  EXPECT_EQ(out_.names().size(), std::size_t{kFrames + 1});
}

TEST_F(PictureOutput, AStillImagesNameIsANameAndNoPattern) {
  ffmpeg("-f lavfi -i testsrc2=s=64x64 -frames:v 1 -update 1", in_ / "still.png");
  fs::rename(in_ / "still.png", in_ / "a%03d.png");
  pipeline::JobOptions options = job(out_ / "b%03d.png");
  options.input.name = (in_ / "a%03d.png").string();
  EXPECT_EQ(run_fake_job(options).result.output, out_ / "b%03d.png");
  EXPECT_THAT(out_.names(), ElementsAre("b%03d.png"));
}

TEST_F(PictureOutput, AnEncoderOfAnotherKindIsRefused) {
  for (const char* const codec : {"libx264", "png"}) {
    pipeline::JobOptions options = job(out_ / "%d.jpg");
    options.output.encoder.codec = codec;
    try {
      run_fake_job(options);
      ADD_FAILURE() << codec << " is not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::output);
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr("holds mjpeg, not "), HasSubstr("try the extension .m")));
    }
  }
  EXPECT_THAT(out_.names(), IsEmpty());
}

}  // namespace
}  // namespace facepipe::test
