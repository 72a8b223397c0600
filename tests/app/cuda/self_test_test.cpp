#include <gtest/gtest.h>

#include "app/doctor/cuda.h"
#include "app/doctor/self_test.h"
#include "core/error.h"

namespace facepipe::app {
namespace {

TEST(SelfTestOnCuda, FindsWhatTheCpuFinds) {
  detector::DetectorOptions options;
  options.model =
      std::filesystem::path(FACEPIPE_SOURCE_DIR) / "data/fetched/models/centerface.onnx";
  options.score_threshold = 0;
  const SelfTestResult on_cuda = self_test_on_cuda({DeviceKind::cuda, 0}, options);
  options.library = detector::Library::opencv;
  options.precision = detector::Precision::f32;
  const SelfTestResult on_cpu = self_test(*detector::make_detector_factory({}, options));
  EXPECT_EQ(on_cuda.network_size, on_cpu.network_size);
  const ScoreComparison scores = compare_scores(on_cuda.candidates, on_cpu.candidates);
  EXPECT_GT(scores.compared, 6U);
  EXPECT_LE(scores.largest_difference, kMostScoreDifference);
}

TEST(SelfTestOnCuda, ADeviceThatIsNotThereIsADeviceError) {
  try {
    static_cast<void>(self_test_on_cuda({DeviceKind::cuda, 1000}, {}));
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
  }
}

}  // namespace
}  // namespace facepipe::app
