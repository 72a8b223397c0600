// These tests process one input with several lanes on a GPU. The result must be bit-equal to that
// of one lane. NVDEC decodes the pictures if it supports them. Lanes share CUDA graphs and nvJPEG's
// encoders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <filesystem>
#include <string>

#include "pipeline/cuda/backend.h"
#include "tests/pipeline/lane_rows.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"

namespace facepipe::test {
namespace {

class LaneRowsCuda : public testing::TestWithParam<LaneRow> {
 protected:
  static void SetUpTestSuite() { make_backend({}); }
  static void make_backend(detector::DetectorOptions detector) {
    video::redirect_ffmpeg_log();
    detector.score_threshold = kLeastScore;
    detector.model =
        std::filesystem::path(FACEPIPE_SOURCE_DIR) / "data/fetched/models/centerface.onnx";
    if (std::filesystem::exists(detector.model))
      backend_ = pipeline::make_cuda_backend({DeviceKind::cuda, 0}, detector);
  }
  static void TearDownTestSuite() { backend_.reset(); }
  void SetUp() override {
    if (!backend_) GTEST_SKIP() << "no model";
    // If the installed FFmpeg lacks an encoder or a filter, the test is skipped.
    try {
      GetParam().make(folder_ / GetParam().file);
    } catch (const std::exception& error) {
      GTEST_SKIP() << error.what();
    }
  }

  // The pictures contain no faces, only shapes that look a little like faces, so the threshold is
  // low.
  static constexpr float kLeastScore = 0.03F;
  TemporaryFolder folder_;
  static inline std::unique_ptr<pipeline::Backend> backend_;
};

TEST_P(LaneRowsCuda, TellAndWriteWhatOneLaneDoes) {
  expect_as_one_lane(GetParam(), folder_.path(), *backend_, {7});
}

// Motion is estimated once on the device and once on the host.
TEST_P(LaneRowsCuda, HideAndTellWhatOneLaneDoes) {
  for (const bool host_motion : {false, true}) {
    SCOPED_TRACE(host_motion ? "motion on the host" : "motion on the device");
    expect_as_one_lane(
        GetParam(), folder_.path(), *backend_, {4}, [&](pipeline::JobOptions& options) {
          let_hide(options);
          options.hide->host_motion = host_motion;
          track::TrackerOptions& tracks = options.hide->tracks;
          tracks.start_score = tracks.lone_score = tracks.continue_score = kLeastScore;
        });
  }
}

/// Each picture is also searched mirrored and turned, by an angle that depends on its number in the
/// input. Even a lane that begins within the input must choose the angle of the one lane.
class CarefulLaneRowsCuda : public LaneRowsCuda {
 protected:
  static void SetUpTestSuite() {
    detector::DetectorOptions careful;
    careful.mirrored_too = true;
    make_backend(careful);
  }
};

TEST_P(CarefulLaneRowsCuda, TurnEachPictureAsOneLaneDoes) {
  expect_as_one_lane(GetParam(), folder_.path(), *backend_, {4}, let_hide);
}

/// The picture that is turned by three quarters is searched in all these ways, too.
TEST_P(CarefulLaneRowsCuda, SearchATurnedPictureTooAsOneLaneDoes) {
  expect_as_one_lane(GetParam(), folder_.path(), *backend_, {4}, [](pipeline::JobOptions& options) {
    let_hide(options);
    options.hide->turned_too = 3;
  });
}

std::string name_of(const testing::TestParamInfo<LaneRow>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(H264, LaneRowsCuda, testing::ValuesIn(h264_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Hevc, LaneRowsCuda, testing::ValuesIn(hevc_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Others, LaneRowsCuda, testing::ValuesIn(other_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Ranges, LaneRowsCuda, testing::ValuesIn(range_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Sound, LaneRowsCuda, testing::ValuesIn(sound_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(H264, CarefulLaneRowsCuda, testing::ValuesIn(h264_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Ranges, CarefulLaneRowsCuda, testing::ValuesIn(range_rows()), name_of);

}  // namespace
}  // namespace facepipe::test
