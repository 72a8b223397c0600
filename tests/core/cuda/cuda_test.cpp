// These tests check the classes that own CUDA objects: what they hold, what they refuse, and what
// they throw if CUDA fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/check.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "core/error.h"

namespace facepipe::cuda {
namespace {

using testing::HasSubstr;

std::vector<int> numbers(std::size_t count) {
  std::vector<int> out(count);
  std::iota(out.begin(), out.end(), 1);
  return out;
}

TEST(CudaCheck, NamesTheCallItsPlaceAndCudasReason) {
  try {
    FACEPIPE_CUDA_CHECK(cudaErrorInvalidValue);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_THAT(error.what(), HasSubstr("cudaErrorInvalidValue"));
    EXPECT_THAT(error.what(), HasSubstr("invalid argument"));
    EXPECT_THAT(error.what(), HasSubstr("cuda_test.cpp:"));
  }
}

TEST(CudaCheck, AFailureIsReportedOnce) {
  EXPECT_THROW(FACEPIPE_CUDA_CHECK(cudaSetDevice(12345)), Error);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(CudaStream, OwnersMoveAndViewsCopy) {
  static_assert(!std::is_copy_constructible_v<Stream>);
  static_assert(!std::is_constructible_v<StreamView, int>);
  static_assert(!std::is_constructible_v<StreamView, std::nullptr_t>);
  Stream first;
  const StreamView view = first;
  const Stream second = std::move(first);
  EXPECT_EQ(view.get(), second.view().get());
  second.synchronize();
}

template <class To, class From>
concept CopiesWithoutAStream = requires(To to, From from) { copy(to, from); };

TEST(CudaBuffer, CopiesThereAndBack) {
  static_assert(!CopiesWithoutAStream<DeviceSpan<int>, std::span<const int>>);
  const Stream stream;
  const std::vector<int> in = numbers(1000);
  const DeviceBuffer<int> device(1000);
  const PinnedBuffer<int> pinned(1000);
  copy(device.span(), std::span<const int>(in), stream);
  copy(pinned.span(), device.span(), stream);
  stream.synchronize();
  EXPECT_EQ(std::vector<int>(pinned.span().begin(), pinned.span().end()), in);
}

TEST(CudaBuffer, FillsEveryByte) {
  const Stream stream;
  const DeviceBuffer<unsigned> device(3);
  std::vector<unsigned> out(3);
  fill(device.span(), 0x5a, stream);
  copy(std::span<unsigned>(out), device.span(), stream);
  stream.synchronize();
  EXPECT_EQ(out, std::vector<unsigned>(3, 0x5a5a5a5aU));
}

TEST(CudaBuffer, NothingIsABufferToo) {
  const DeviceBuffer<int> none(0);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(none.size(), 0U);
}

TEST(CudaBuffer, TooMuchIsADeviceError) {
  EXPECT_THROW(DeviceBuffer<char>(std::size_t{1} << 60), Error);
}

TEST(CudaEvent, TimesAndOrdersStreams) {
  const Stream first;
  const Stream second;
  const Event begin(Event::Timing::on);
  const Event end(Event::Timing::on);
  const DeviceBuffer<int> device(1 << 20);
  begin.record(first);
  fill(device.span(), 1, first);
  end.record(first);
  end.hold_back(second);
  second.synchronize();
  EXPECT_GE(milliseconds_between(begin, end), 0);
}

TEST(CudaGraph, ReplaysWhatWasCaptured) {
  const Stream stream;
  const DeviceBuffer<unsigned> device(4);
  const Graph graph = capture(stream, [&] { fill(device.span(), 7, stream); });
  EXPECT_EQ(graph.nodes(), 1U);
  const GraphExec exec(graph);
  std::vector<unsigned> out(4);
  for (int replay = 0; replay < 3; ++replay) {
    fill(device.span(), 0, stream);
    exec.launch(stream);
    copy(std::span<unsigned>(out), device.span(), stream);
    stream.synchronize();
    EXPECT_EQ(out, std::vector<unsigned>(4, 0x07070707U));
  }
}

TEST(CudaGraph, AnExceptionEndsTheCapture) {
  const Stream stream;
  EXPECT_THROW((void)capture(stream, [] { throw std::runtime_error("no"); }), std::runtime_error);
  const DeviceBuffer<int> device(1);
  fill(device.span(), 0, stream);  // allowed, because the stream isn't being captured
  stream.synchronize();
}

}  // namespace
}  // namespace facepipe::cuda
