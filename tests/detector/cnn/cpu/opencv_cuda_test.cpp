// These tests check OpenCV's dnn on a CUDA device. They also check the errors if this OpenCV or
// this machine doesn't support it.
#include "detector/cnn/cpu/opencv/opencv_cuda.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/cpu/opencv/opencv_version.h"
#include "detector/detector.h"
#include "tests/detector/files.h"
#include "tests/support/expect_error.h"

namespace facepipe::detector {
namespace {

constexpr Device kCuda{DeviceKind::cuda, 0};

bool built_with_cuda() { return describe_opencv().find("without") == std::string::npos; }

cv::dnn::Net centerface() {
  const std::string bytes = Model(test::centerface_file()).onnx({64, 32});
  return cv::dnn::readNetFromONNX(bytes.data(), bytes.size());
}

class WithoutOpencvCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (reason_against_opencv_cuda(Precision::f32).empty())
      GTEST_SKIP() << "this OpenCV computes on a CUDA device here";
  }
};

TEST_F(WithoutOpencvCuda, TheReasonNamesTheVersionAndWhatIsMissing) {
  EXPECT_EQ(reason_against_opencv_cuda(Precision::f32),
            "version " + describe_opencv() + ", has no target CUDA here");
  EXPECT_EQ(reason_against_opencv_cuda(Precision::f16),
            "version " + describe_opencv() + ", has no target CUDA_FP16 here");
}

TEST_F(WithoutOpencvCuda, TheEngineIsRefusedAndNotReplaced) {
  const Model model(test::centerface_file());
  for (const Precision precision : {Precision::f32, Precision::f16})
    test::expect_error(ErrorKind::device, reason_against_opencv_cuda(precision), [&] {
      (void)make_engine(Library::opencv, model, {64, 32},
                        {.precision = precision, .device = kCuda});
    });
}

TEST_F(WithoutOpencvCuda, TheModelIsRefusedBeforeThereIsAFrame) {
  DetectorOptions options;
  options.model = test::centerface_file();
  options.library = Library::opencv;
  try {
    (void)make_detector_factory(kCuda, options);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    // A build without CUDA doesn't have the engine at all.
    const bool listed = !supported_engines(DeviceKind::cuda).empty();
    EXPECT_THAT(error.what(),
                testing::HasSubstr(listed ? "model " + options.model.string() + ": OpenCV: "
                                          : "this build lacks the engine opencv"));
  }
}

TEST(OpencvCuda, TakesF32AndF16Alone) {
  const Model model(test::centerface_file());
  test::expect_error(ErrorKind::usage, "f32 or f16 only", [&] {
    (void)make_engine(Library::opencv, model, {64, 32},
                      {.precision = Precision::bf16, .device = kCuda});
  });
  test::expect_error(ErrorKind::usage, "f32 only", [&] {
    (void)make_engine(Library::opencv, model, {64, 32}, {.precision = Precision::f16});
  });
}

TEST(OpencvCuda, NamesTheLayersThatABackendLacks) {
  const cv::dnn::Net net = centerface();
  EXPECT_THAT(layers_without(net, cv::dnn::DNN_BACKEND_OPENCV), testing::IsEmpty());
  // OpenCV is never built with Halide's backend, because Halide needs its own compiler.
  const std::vector<std::string> missing = layers_without(net, cv::dnn::DNN_BACKEND_HALIDE);
  EXPECT_THAT(missing, testing::Contains(testing::HasSubstr(" (Convolution)")));
}

TEST(OpencvCuda, HasAllOfCenterfaceWhereItIsBuiltIn) {
  const std::vector<std::string> missing = layers_without(centerface(), cv::dnn::DNN_BACKEND_CUDA);
  if (built_with_cuda())
    EXPECT_THAT(missing, testing::IsEmpty());
  else
    EXPECT_THAT(missing, testing::Not(testing::IsEmpty()));
}

TEST(OpencvCuda, OnTheCpuNothingIsCopied) {
  const Model model(test::centerface_file());
  const auto inference = make_engine(Library::opencv, model, {64, 32}, {})->make_inference();
  inference->start();
  inference->wait();
  CopyCounter copies;
  inference->count_copies(copies);
  EXPECT_EQ(copies.total(CopyKind::network_input), CopyTotal{});
  EXPECT_EQ(copies.total(CopyKind::network_output), CopyTotal{});
}

// On a device, dnn copies the input and each output as f32 in all precisions.
TEST(OpencvCuda, CountsWhatItCopies) {
  const Model model(test::centerface_file());
  const Size network{64, 32};
  for (const Precision precision : {Precision::f32, Precision::f16}) {
    const std::string reason = reason_against_opencv_cuda(precision);
    if (!reason.empty()) GTEST_SKIP() << reason;
    const auto inference =
        make_engine(Library::opencv, model, network, {.precision = precision, .device = kCuda})
            ->make_inference();
    inference->start();
    inference->wait();
    CopyCounter copies;
    inference->count_copies(copies);
    EXPECT_EQ(copies.total(CopyKind::network_input), (CopyTotal{1, 3 * 64 * 32 * 4}));
    // The outputs are a heat map, two maps for a box's size, two for its place and ten for
    // landmarks. Each map has a quarter of the network's width and height.
    EXPECT_EQ(copies.total(CopyKind::network_output), (CopyTotal{4, 15 * 16 * 8 * 4}));
  }
}

}  // namespace
}  // namespace facepipe::detector
