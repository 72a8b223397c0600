// These tests check the options that --config reads from a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/options/options.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using test::expect_error;
using test::TemporaryFolder;
using Arguments = std::vector<std::string>;

RunOptions parse_run(const Arguments& arguments) {
  return std::get<RunOptions>(parse_command(arguments));
}

class Config : public testing::Test {
 protected:
  RunOptions parse(const std::string& text, Arguments more = {}) {
    const std::string file = dir_.write("my.toml", text);
    more.insert(more.begin(), {"run", "clip.mp4", "--config", file});
    return parse_run(more);
  }

  TemporaryFolder dir_;
};

TEST_F(Config, StandsBeforeOrAfterRun) {
  const std::string file = dir_.write("my.toml", "[run]\nscore = 0.125\n");
  for (const Arguments& arguments : {Arguments{"--config", file, "run", "clip.mp4"},
                                     {"run", "--config", file, "clip.mp4"},
                                     {"run", "clip.mp4", "--config", file},
                                     {"run", "clip.mp4", "--config=" + file}})
    EXPECT_EQ(parse_run(arguments).detector.score_threshold, 0.125F);
}

TEST_F(Config, APlanReadsTheSectionOfItsCommand) {
  const std::string file =
      dir_.write("my.toml", "[run]\nscore = 0.125\n[hide]\ngrow = 2\n[detect]\ndevice = cpu\n");
  const auto plan_of = [&](const std::string& command) {
    return std::get<PlanOptions>(
        parse_command({"plan", command, "clip.mp4", "--json", "--config", file}));
  };
  EXPECT_EQ(plan_of("run").run.detector.score_threshold, 0.125F);
  EXPECT_TRUE(plan_of("run").json);
  EXPECT_EQ(plan_of("hide").run.job.hide.value().appearance.grow, 2);
  const std::string wrong = dir_.write("wrong.toml", "[run]\nscor = 0.125\n");
  expect_error(ErrorKind::usage, "wrong.toml: line 2: scor: unknown option; did you mean score?",
               [&] {
                 (void)parse_command({"plan", "run", "a.mp4", "--config", wrong});
               });
}

TEST_F(Config, SetsEveryKindOfOption) {
  const RunOptions options = parse(
      "# a comment\n"
      "[run]\n"
      "output = \"my videos/\"\n"
      "overwrite = true\n"
      "strict = true  # another\n"
      "tolerate-damage = false\n"
      "crf = 21\n"
      "start = 1:30\n"
      "detect-size = 640x384\n"
      "encoder-option = [\"tune=film\", \"x264-params=a=1:b=2\"]\n"
      "detections = faces.jsonl\n");
  EXPECT_EQ(options.output, "my videos/");
  EXPECT_EQ(options.existing, ExistingOutput::overwrite);
  EXPECT_TRUE(options.job.output.strict);
  EXPECT_FALSE(options.tolerate_damage);
  EXPECT_EQ(options.job.output.encoder.crf, 21);
  EXPECT_EQ(options.job.input.start_s, 90);
  EXPECT_EQ(options.detector.detect_size, (Size{640, 384}));
  EXPECT_THAT(
      options.job.output.encoder.options,
      testing::ElementsAre(testing::Pair("tune", "film"), testing::Pair("x264-params", "a=1:b=2")));
  EXPECT_EQ(options.files.detections, "faces.jsonl");
}

TEST_F(Config, ListsMayBeWrittenInThreeWays) {
  for (const char* list : {"scores,count", "\"scores,count\"", "[\"scores\", \"count\"]"}) {
    const overlay::OverlayStyle style =
        parse(std::string("[run]\ndraw = ") + list + "\n").job.overlay;
    EXPECT_TRUE(style.scores && style.count && !style.boxes && !style.landmarks) << list;
  }
}

TEST_F(Config, IsBeatenByTheCommandLine) {
  const char* text = "[run]\nscore = 0.2\ndraw = count\noverwrite = true\nencoder-option = a=1\n";
  const RunOptions options = parse(
      text, {"--score", "0.9", "--draw", "scores", "--skip-existing", "--encoder-option", "b=2"});
  EXPECT_EQ(options.detector.score_threshold, 0.9F);
  EXPECT_FALSE(options.job.overlay.count);
  EXPECT_EQ(options.existing, ExistingOutput::skip);
  EXPECT_THAT(options.job.output.encoder.options, testing::ElementsAre(testing::Pair("b", "2")));
}

TEST_F(Config, RefusesWhatItDoesNotKnowAndNamesItself) {
  struct Case {
    const char* text;
    const char* reason;
  };
  const std::vector<Case> cases{
      {"[run]\nscroe = 0.5\n", "my.toml: line 2: scroe: unknown option; did you mean score?"},
      {"score = 0.5\n", "my.toml: INI was not able to parse score"},
      {"[walk]\nscore = 0.5\n", "my.toml: INI was not able to parse walk"},
      {"[run]\nINPUT = clip.mp4\n", "my.toml: "},
      {"[run]\nconfig = other.toml\n", "my.toml: "},
      {"[run]\nhelp = true\n", "my.toml: "},
      {"version = true\n", "my.toml: "},
      {"[run]\nscore = high\n", "my.toml: --score: 'high' is not a number"},
      {"[run]\nscore = 7\n", "my.toml: --score: '7' is not a number"},
      {"[run]\nscore = [0.1, 0.2]\n", "my.toml: "},
      {"[run]\nstrict = perhaps\n", "my.toml: "},
      {"[run]\nend = 5\nstart = 6\n", "my.toml: --end must be later"},
      {"[run]\noverwrite = true\nskip-existing = true\n", "my.toml: --overwrite"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    expect_error(ErrorKind::usage, c.reason, [&] { (void)parse(c.text); });
  }
}

TEST_F(Config, BlamesTheCommandLineForItsOwnErrors) {
  const std::string file = dir_.write("my.toml", "[run]\nscore = 0.5\n");
  try {
    (void)parse_command({"run", "clip.mp4", "--config", file, "--iou", "7"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("--iou"));
  }
}

TEST_F(Config, MissingOrUnreadableFileIsAnError) {
  for (const std::string& file : std::vector<std::string>{dir_ / "no.toml", dir_.path().string()})
    expect_error(ErrorKind::usage, file + ": can't be read", [&] {
      (void)parse_command({"run", "clip.mp4", "--config", file});
    });
}

TEST(Presets, AreReadWithoutError) {
  const std::string folder = std::string(FACEPIPE_SOURCE_DIR) + "/configs/";
  const auto preset = [&](const char* name) {
    return parse_run({"run", "clip.mp4", "--config", folder + name});
  };
  const RunOptions review = preset("review.toml");
  EXPECT_TRUE(review.job.overlay.boxes && review.job.overlay.scores &&
              review.job.overlay.landmarks && review.job.overlay.count);
  const RunOptions archive = preset("archive.toml");
  EXPECT_EQ(archive.job.output.encoder.crf, 16);
  EXPECT_TRUE(archive.job.output.strict);
  EXPECT_EQ(preset("fast.toml").detector.detect_size, (Size{960, 544}));
  for (const char* const name : {"oro2020.toml", "crowd_run.toml", "mosaic.toml"}) {
    const RunOptions oro = preset(name);
    const nms::NmsOptions& nms = oro.job.search.nms;
    EXPECT_EQ(nms.rule, nms::NmsRule::matrix) << name;
    EXPECT_EQ(nms.overlap, nms::NmsOverlap::winner_area) << name;
    EXPECT_EQ(nms.matrix, (nms::MatrixOptions{4096, 32, true, true})) << name;
    EXPECT_EQ(oro.detector.score_threshold, std::string(name) == "oro2020.toml" ? 0.25F : 0.4F);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_NO_THROW((void)preset(entry.path().filename().c_str())) << entry.path();
}

}  // namespace
}  // namespace facepipe::app
