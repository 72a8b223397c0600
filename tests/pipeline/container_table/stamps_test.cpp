// These tests check all kinds of time stamps in all main containers. Time stamps can begin below 0,
// be uneven, or have gaps. Time stamps of MPEG-TS can also wrap.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/pipeline/container_table/facts.h"
#include "tests/pipeline/container_table/jobs.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

/// Describes the time stamps of an input.
struct Course {
  const char* name;
  const char* extension;
  std::string filter;   ///< ffmpeg's filter for the pictures
  std::string options;  ///< ffmpeg's other options for the clip
  bool even = true;     ///< whether the pictures have a fixed rate without a gap
};

struct Target {
  const char* name;
  const char* extension;
  const char* sound;      ///< codec of the sound, which the container can hold
  double tick_s = 0.001;  ///< precision of the container's time stamps, in seconds
  /// The container counts pictures at a fixed rate. It rounds other time stamps, and a notice must
  /// report this.
  bool counts = false;
};

struct StampRow {
  Course course;
  Target target;
};

void PrintTo(const StampRow& row, std::ostream* out) {
  *out << row.course.name << " to " << row.target.name;
}

std::vector<StampRow> rows() {
  const std::string negative =
      "-output_ts_offset -0.5 -muxdelay 0 -muxpreload 0 -avoid_negative_ts disabled";
  const std::vector<Course> courses{
      {"AtZero", ".mkv", "null", ""},
      {"Late", ".mkv", "null", "-output_ts_offset 7.3"},
      {"Negative", ".ts", "null", negative},
      // MPEG-TS counts time in 33 bits at 90 kHz, so time wraps at 95443.7 s.
      {"Wrapping", ".ts", "null", "-output_ts_offset 95443.4 -muxdelay 0 -muxpreload 0"},
      {"Uneven", ".mkv", "setpts=(N*1.5+mod(N*N\\,3)*0.3)/25/TB", "-fps_mode passthrough", false},
      {"Gap", ".mkv", "setpts=(N+10*gte(N\\,9))/25/TB", "-fps_mode passthrough", false},
  };
  const std::vector<Target> targets{
      {"Mp4", ".mp4", "mp2"},      {"Mov", ".mov", "pcm_s16le"},
      {"Matroska", ".mkv", "mp2"}, {"Nut", ".nut", "mp2"},
      {"Flv", ".flv", "aac"},      {"MpegTs", ".ts", "mp2"},
      {"Asf", ".asf", "mp2"},      {"MpegPs", ".mpg", "mp2"},
      {"Wtv", ".wtv", "mp2"},      {"Mxf", ".mxf", "pcm_s16le", 0.001, true},
  };
  std::vector<StampRow> result;
  for (const Course& course : courses)
    for (const Target& target : targets) result.push_back({course, target});
  return result;
}

class Stamps : public testing::TestWithParam<StampRow> {
 protected:
  void SetUp() override {
    video::redirect_ffmpeg_log();
    const Course& course = GetParam().course;
    const Target& target = GetParam().target;
    const std::string codec = input_holds(target) ? target.sound : "mp2";
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.72 -f lavfi -i sine=r=48000:d=0.9 -vf " +
               course.filter + ",format=yuv420p " + course.options +
               " -c:v libx264 -preset ultrafast -bf 2 -x264-params b-adapt=0 -c:a " + codec,
           clip_);
  }

  [[nodiscard]] Properties expected() const {
    const StampRow& row = GetParam();
    Properties result{Property::sound};
    // If an output can't hold the sound, a notice reports this, which container_table_test.cpp
    // checks.
    if (!input_holds(row.target)) result.clear();
    if (row.course.even || !row.target.counts) result.insert(Property::stamps);
    return result;
  }
  /// Returns whether the input's container can hold the sound. MPEG-TS can hold only the sound
  /// codecs for which it has an identifier.
  [[nodiscard]] static bool input_holds(const Target& target) {
    const bool in_ts = std::string(GetParam().course.extension) == ".ts";
    return !(in_ts && std::string(target.sound) == "pcm_s16le");
  }

  TemporaryFolder folder_;
  std::filesystem::path clip_ = folder_ / ("clip" + std::string(GetParam().course.extension));
};

TEST_P(Stamps, AreTheInputs) {
  const Facts input = facts_of(clip_);
  ASSERT_EQ(input.frames, 18);
  ASSERT_EQ(input.shown_s.size(), 18U);
  const std::filesystem::path output = folder_ / ("out" + std::string(GetParam().target.extension));
  for (const bool hide : {false, true}) {
    SCOPED_TRACE(hide ? "hidden" : "drawn");
    const JobRun run = run_fake_job(plain_job(clip_, output, hide));
    EXPECT_TRUE(run.result.ledger.intact());
    EXPECT_EQ(difference(facts_of(output), input, expected(), GetParam().target.tick_s), "");
  }
}

INSTANTIATE_TEST_SUITE_P(All, Stamps, testing::ValuesIn(rows()), [](const auto& row) {
  return std::string(row.param.course.name) + "To" + row.param.target.name;
});

}  // namespace
}  // namespace facepipe::test
