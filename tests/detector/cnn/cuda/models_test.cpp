// These tests run CenterFace and YuNet on the device: layer by layer, as a whole network, and as a
// detector in a CUDA graph.
#include <gtest/gtest.h>

#include "core/cuda/check.h"
#include "core/cuda/graph.h"
#include "core/error.h"
#include "detector/cnn/cuda/cnn_detector.h"
#include "detector/cnn/model/graph/onnx_import.h"
#include "detector/cnn/model/graph/passes.h"
#include "tests/detector/cnn/cuda/described_frame.h"
#include "tests/detector/cnn/cuda/known_model.h"
#include "tests/detector/cnn/cuda/layers.h"
#include "tests/detector/files.h"
#include "tests/detector/golden.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};

class CudaModel : public test::KnownModel {};

test::Tensor pattern(Size size) {
  std::vector<std::uint8_t> bytes(3U * static_cast<std::size_t>(size.width) *
                                  static_cast<std::size_t>(size.height));
  test::fill_pattern(bytes, size);
  return {bytes.begin(), bytes.end()};
}

TEST_P(CudaModel, ComputesEveryLayer) {
  for (const Size size : {Size{96, 64}, Size{160, 128}}) {
    graph::Graph graph = model().graph(size);
    graph::optimise(graph, size);
    test::DeviceNetwork device(graph);
    device.upload(pattern(size));
    device.run();
    test::expect_layers(graph, device);
  }
}

/// The network's outputs may have this error, relative to the largest value of an output. It
/// contains the errors of about sixty layers.
constexpr double kNetworkError = 1e-2;

TEST_P(CudaModel, ComputesWhatTheFileComputes) {
  constexpr Size kSize{160, 128};
  graph::Graph graph = model().graph(kSize);
  graph::infer_shapes(graph, kSize);
  const test::Tensor input = pattern(kSize);
  const std::vector<test::Tensor> expected = test::interpret(graph, input);
  graph::Graph optimised = graph;
  graph::optimise(optimised, kSize);
  test::DeviceNetwork device(optimised, engine::Network::Reuse::memory);
  device.upload(input);
  device.run();
  for (std::size_t o = 0; o < graph.outputs.size(); ++o) {
    test::Tensor planes = expected[static_cast<std::size_t>(graph.outputs[o].value)];
    const test::Tensor actual = device.value(optimised.outputs[o].value);
    if (optimised.outputs[o].layout == graph::OutputLayout::cells) {  // converts the layout `cells`
                                                                      // to planes
      const auto channels =
          static_cast<std::size_t>(optimised.map(optimised.outputs[o].value).channels);
      const test::Tensor cells = planes;
      const std::size_t count = cells.size() / channels;
      for (std::size_t i = 0; i < cells.size(); ++i)
        planes[i % channels * count + i / channels] = cells[i];
    }
    const double worst = test::worst_difference(actual, planes);
    EXPECT_LE(worst, kNetworkError * test::largest(planes)) << graph.outputs[o].name;
    RecordProperty(graph.outputs[o].name, std::to_string(worst / test::largest(planes)));
  }
}

struct Downloaded {
  std::uint32_t count = 0;
  std::vector<Box> boxes;
  std::vector<float> scores;
  std::vector<Landmarks> landmarks;
  friend bool operator==(const Downloaded&, const Downloaded&) = default;
};

Downloaded download(const CudaCnnDetection& detection, const cuda::Stream& stream) {
  const cuda::DeviceDetections from = detection.candidates();
  Downloaded result;
  cuda::copy(std::span<std::uint32_t>(&result.count, 1),
             cuda::DeviceSpan<const std::uint32_t>{from.count, 1}, stream);
  stream.synchronize();
  const std::size_t stored = std::min(result.count, from.capacity);
  result.boxes.resize(stored);
  result.scores.resize(stored);
  result.landmarks.resize(stored);
  cuda::copy(std::span<Box>(result.boxes), cuda::DeviceSpan<const Box>{from.boxes, stored}, stream);
  cuda::copy(std::span<float>(result.scores), cuda::DeviceSpan<const float>{from.scores, stored},
             stream);
  cuda::copy(std::span<Landmarks>(result.landmarks),
             cuda::DeviceSpan<const Landmarks>{from.landmarks, stored}, stream);
  stream.synchronize();
  return result;
}

/// Returns a detector for which every cell is a candidate.
std::shared_ptr<const CudaCnnDetector> detector_for(const Model& model, const Frame& frame) {
  return std::make_shared<CudaCnnDetector>(model, fit_network(frame.upright(), {}),
                                           test::layout_of(frame),
                                           CudaCnnOptions{.score_threshold = 0, .fused = true});
}

TEST_P(CudaModel, FindsTheSameInEveryReplay) {
  const Frame frame = test::make_noise_frame({kNv12, {350, 210}}, 3);
  const cuda::Stream stream;
  const test::DescribedFrame on_device(frame, stream);
  CudaCnnDetection detection(detector_for(model(), frame));
  const cuda::GraphExec exec(
      cuda::capture(stream, [&] { detection.enqueue(on_device.descriptor(), stream); }));
  exec.launch(stream);
  const Downloaded first = download(detection, stream);
  EXPECT_GT(first.count, 0U);
  for (int replay = 1; replay < 100; ++replay) {
    exec.launch(stream);
    ASSERT_EQ(download(detection, stream), first) << replay;
  }
}

TEST_P(CudaModel, KeepsPlacesApart) {
  const Frame a = test::make_noise_frame({kNv12, {350, 210}}, 3);
  const Frame b = test::make_noise_frame({kNv12, {350, 210}}, 4);
  const auto detector = detector_for(model(), a);
  const cuda::Stream one;
  const cuda::Stream other;
  const test::DescribedFrame a_on_device(a, one);
  const test::DescribedFrame b_on_device(b, one);
  CudaCnnDetection first(detector);
  CudaCnnDetection second(detector);
  first.enqueue(a_on_device.descriptor(), one);
  const Downloaded a_alone = download(first, one);
  first.enqueue(b_on_device.descriptor(), one);
  const Downloaded b_alone = download(first, one);
  EXPECT_NE(a_alone, b_alone);
  for (int round = 0; round < 10; ++round) {
    first.enqueue(a_on_device.descriptor(), one);
    second.enqueue(b_on_device.descriptor(), other);
    ASSERT_EQ(download(second, other), b_alone);
    ASSERT_EQ(download(first, one), a_alone);
  }
}

/// The graph that was made for one frame must also process a frame at another address.
TEST_P(CudaModel, ReadsTheFrameThatTheDescriptorNames) {
  const Frame a = test::make_noise_frame({kNv12, {350, 210}}, 3);
  const Frame b = test::make_noise_frame({kNv12, {350, 210}}, 4);
  const cuda::Stream stream;
  const test::DescribedFrame a_on_device(a, stream);
  const test::DescribedFrame b_on_device(b, stream);
  CudaCnnDetection detection(detector_for(model(), a));
  detection.enqueue(b_on_device.descriptor(), stream);
  const Downloaded expected = download(detection, stream);
  const cuda::DeviceBuffer<FrameDescriptor> current(1);
  const auto put = [&](const test::DescribedFrame& frame) {
    std::vector<FrameDescriptor> host(1);
    cuda::copy(std::span<FrameDescriptor>(host),
               cuda::DeviceSpan<const FrameDescriptor>{frame.descriptor(), 1}, stream);
    stream.synchronize();
    cuda::copy(current.span(), std::span<const FrameDescriptor>(host), stream);
    stream.synchronize();
  };
  put(a_on_device);
  const cuda::GraphExec exec(
      cuda::capture(stream, [&] { detection.enqueue(current.data(), stream); }));
  exec.launch(stream);
  EXPECT_NE(download(detection, stream), expected);
  put(b_on_device);
  exec.launch(stream);
  EXPECT_EQ(download(detection, stream), expected);
}

TEST_P(CudaModel, RefusesOptionsOutOfRange) {
  const NetworkFit fit = fit_network({64, 64}, {});
  const StreamLayout layout{{64, 64}, kNv12, {}};
  for (const CudaCnnOptions& options :
       {CudaCnnOptions{.score_threshold = -0.1F}, CudaCnnOptions{.score_threshold = 1.1F},
        CudaCnnOptions{.score_threshold = std::nanf("")}, CudaCnnOptions{.capacity = 0}})
    EXPECT_THROW(CudaCnnDetector(model(), fit, layout, options), Error);
}

TEST_P(CudaModel, NamesTheFileThatItRefuses) {
  // The model's inputs and outputs are known, but a node has an unknown operator.
  const test::TemporaryFolder folder;
  std::string bytes = test::read_file(model().file());
  for (std::size_t at = bytes.find("Sigmoid"); at != std::string::npos; at = bytes.find("Sigmoid"))
    bytes.replace(at, 7, "Sigmund");
  const auto file = folder.write("unknown.onnx", bytes);
  try {
    const CudaCnnDetector detector(Model(file), fit_network({64, 64}, {}), {{64, 64}, kNv12, {}},
                                   {});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("Sigmund"), std::string::npos) << error.what();
  }
}

TEST_P(CudaModel, RefusesAFrameThatIsNone) {
  const cuda::Stream stream;
  const Frame frame = test::make_noise_frame({kNv12, {64, 64}}, 3);
  CudaCnnDetection detection(detector_for(model(), frame));
  test::expect_error(ErrorKind::internal, "the frame is null",
                     [&] { detection.enqueue(nullptr, stream); });
}

TEST_P(CudaModel, TellsItsMemory) {
  const Frame frame = test::make_noise_frame({kNv12, {1920, 1080}}, 3);
  std::size_t before = 0;
  std::size_t after = 0;
  std::size_t total = 0;
  FACEPIPE_CUDA_CHECK(cudaMemGetInfo(&before, &total));
  const auto detector = detector_for(model(), frame);
  const CudaCnnDetection detection(detector);
  FACEPIPE_CUDA_CHECK(cudaMemGetInfo(&after, &total));
  const std::size_t told = detector->shared_bytes() + detector->detection_bytes();
  // The tolerance is for the sizes of memory pages, and for the code of kernels that CUDA loads
  // meanwhile.
  constexpr std::size_t kRounding = 16U << 20;
  EXPECT_NEAR(static_cast<double>(before - after), static_cast<double>(told), kRounding);
}

INSTANTIATE_TEST_SUITE_P(Models, CudaModel, testing::Values("centerface", "yunet"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace facepipe::detector
