// These tests process one input on two GPUs. The result must be bit-equal to that of one GPU, even
// if the second GPU fails.
#include "pipeline/device_group.h"

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/cuda/check.h"
#include "core/error.h"
#include "pipeline/cuda/backend.h"
#include "tests/pipeline/lane_rows.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Writes to an invalid address on the device. After this write, each CUDA call for this device
/// fails.
void break_context(int device) {
  constexpr const char* kWriteNowhere = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry write_nowhere() {
  .reg .b32 %r;
  .reg .b64 %a;
  mov.u32 %r, 1;
  mov.u64 %a, 16;
  st.global.u32 [%a], %r;
  ret;
})";
  FACEPIPE_CUDA_CHECK(cudaSetDevice(device));
  cudaLibrary_t library = nullptr;
  FACEPIPE_CUDA_CHECK(
      cudaLibraryLoadData(&library, kWriteNowhere, nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t kernel = nullptr;
  FACEPIPE_CUDA_CHECK(cudaLibraryGetKernel(&kernel, library, "write_nowhere"));
  FACEPIPE_CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1),
                                       nullptr, 0, nullptr));
  EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
}

class TwoChips : public testing::Test {
 protected:
  static constexpr int kFrames = 6000;

  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2)
      GTEST_SKIP() << "needs two devices";
    video::redirect_ffmpeg_log();
    detector_.model =
        std::filesystem::path(FACEPIPE_SOURCE_DIR) / "data/fetched/models/centerface.onnx";
    if (!std::filesystem::exists(detector_.model)) GTEST_SKIP() << "no model";
    ffmpeg(source("320x240", kFrames / 25.0) +
               "-c:v libx264 -preset ultrafast -x264-params keyint=50:min-keyint=50:scenecut=0",
           folder_ / "c.mp4");
  }

  [[nodiscard]] std::unique_ptr<pipeline::Backend> both() const {
    std::vector<std::unique_ptr<pipeline::Backend>> devices;
    for (const int index : {0, 1})
      devices.push_back(pipeline::make_cuda_backend({DeviceKind::cuda, index}, detector_));
    return pipeline::join_devices(std::move(devices));
  }

  [[nodiscard]] pipeline::JobOptions job(const char* output) const {
    pipeline::JobOptions options = lossless_job(folder_ / "c.mp4", folder_ / output);
    options.output.encoder = {"mjpeg", "", {}, {}};
    return options;
  }

  [[nodiscard]] Told run(const pipeline::JobOptions& options, pipeline::Backend& backend,
                         const std::function<void(const FrameRecord&)>& on_frame = {}) const {
    Told told;
    pipeline::JobObserver observer;
    observer.frame = [&](const FrameRecord& record) {
      told.run.records.push_back(record);
      if (on_frame) on_frame(record);
    };
    told.run.result = pipeline::run_job(options, backend, observer, {});
    told.packets = packets_of(options.output.path);
    return told;
  }

  detector::DetectorOptions detector_;
  TemporaryFolder folder_;
};

TEST_F(TwoChips, MakeWhatOneMakes) {
  const auto first = pipeline::make_cuda_backend({DeviceKind::cuda, 0}, detector_);
  const Told one = run_on_lanes(job("one.avi"), 1, *first);
  const Told two = run(job("two.avi"), *both());
  expect_same(two, one);
  ASSERT_EQ(two.run.result.resources.devices.size(), 2U);
  for (const pipeline::DeviceShare& share : two.run.result.resources.devices)
    EXPECT_GT(share.frames, 0);
}

/// Allocates all of a device's memory except `left` bytes.
class TakenMemory {
 public:
  TakenMemory(int device, std::size_t left) {
    FACEPIPE_CUDA_CHECK(cudaSetDevice(device));
    std::size_t free = 0;
    std::size_t all = 0;
    FACEPIPE_CUDA_CHECK(cudaMemGetInfo(&free, &all));
    if (free > left) FACEPIPE_CUDA_CHECK(cudaMalloc(&memory_, free - left));
    FACEPIPE_CUDA_CHECK(cudaSetDevice(0));
  }
  ~TakenMemory() { static_cast<void>(cudaFree(memory_)); }
  TakenMemory(const TakenMemory&) = delete;
  TakenMemory& operator=(const TakenMemory&) = delete;

 private:
  void* memory_ = nullptr;
};

// The remaining memory isn't enough for weights and graphs, even if the driver needs none of it.
TEST_F(TwoChips, WhereOneHasNoMemoryTheOtherDoesItAll) {
  const auto first = pipeline::make_cuda_backend({DeviceKind::cuda, 0}, detector_);
  const Told one = run_on_lanes(job("one.avi"), 1, *first);
  const auto group = both();
  const TakenMemory taken(1, std::size_t{4} << 20U);
  pipeline::JobOptions options = job("two.avi");
  options.resources.lanes = 14;
  const Told two = run(options, *group);
  EXPECT_THAT(two.run.result.notices, Contains(HasSubstr("cuda:1 failed: ")));
  EXPECT_EQ(two.packets.size(), one.packets.size());
  EXPECT_TRUE(two.run.result.ledger.intact());
  EXPECT_EQ(two.run.result.ledger.decoded, kFrames);
  const auto differs =
      std::ranges::mismatch(two.packets, one.packets, {}, &FilePacket::hash, &FilePacket::hash);
  EXPECT_EQ(differs.in1 - two.packets.begin(), kFrames) << "the first packet that differs";
  static_cast<void>(cudaGetLastError());
}

// After a write to an invalid address, CUDA also fails on the first GPU until the process ends, so
// the run can't continue.
TEST_F(TwoChips, WhereOneBreaksTheRunEndsAsADevicesFailure) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto broken_run = [this] {
    try {
      static_cast<void>(run(job("two.avi"), *both(), [](const FrameRecord& record) {
        if (record.index == 10) break_context(1);
      }));
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::_Exit(exit_code(error.kind()));
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(broken_run(), testing::ExitedWithCode(exit_code(ErrorKind::device)), "c.mp4");
}

}  // namespace
}  // namespace facepipe::test
