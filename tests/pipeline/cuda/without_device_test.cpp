// These tests check the errors of the device's stages on a machine without a device.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "core/copies.h"
#include "core/cuda/devices.h"
#include "core/error.h"
#include "pipeline/cuda/abilities.h"
#include "pipeline/cuda/backend.h"
#include "pipeline/cuda/descriptor.h"
#include "pipeline/cuda/host_frames.h"
#include "pipeline/cuda/one_frame.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "video/cuda/decoder.h"
#include "video/cuda/transfer.h"

namespace facepipe::test {
namespace {

class WithoutADevice : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) GTEST_SKIP() << "there is one";
    static_cast<void>(cudaGetLastError());
  }
};

TEST_F(WithoutADevice, DecodersAreRefusedAtTheStart) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=64x64:d=0.1 -c:v libx264", folder / "clip.mp4");
  video::Demuxer demuxer((folder / "clip.mp4").string(), {});
  video::Notices notices("clip");
  CopyCounter copies;
  const Device device{DeviceKind::cuda, 0};
  const auto expect_device_error = [](const auto& make) {
    try {
      static_cast<void>(make());
      FAIL() << "no exception";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
    }
  };
  expect_device_error([&] { return video::make_nvdec_decoder(demuxer, {}, device, notices); });
  expect_device_error(
      [&] { return video::make_nvdec_to_host_decoder(demuxer, {}, device, notices, copies); });
  expect_device_error([&] {
    return video::make_uploading_decoder(demuxer, {}, device,
                                         std::make_shared<video::UploadMemory>(), notices, copies);
  });
  EXPECT_TRUE(notices.all().empty());
}

TEST_F(WithoutADevice, AbilitiesAreTheRuntimesVersionAlone) {
  const pipeline::CudaAbilities found = pipeline::cuda_abilities();
  EXPECT_GE(found.versions.runtime, 13000);
  EXPECT_TRUE(found.chips.empty());
  const CudaProbe probe = cuda::probe_devices();
  EXPECT_TRUE(probe.built);
  EXPECT_FALSE(probe.problem.empty());
  EXPECT_EQ(probe.problem == "NVIDIA's driver isn't installed", found.versions.driver == 0);
}

TEST_F(WithoutADevice, OneFrameIsADeviceError) {
  detector::DetectorOptions options;
  options.model = "/nonexistent/model.onnx";
  try {
    static_cast<void>(pipeline::detect_one_frame({}, {DeviceKind::cuda, 0}, options));
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
  }
}

TEST_F(WithoutADevice, WhatLooksForNothingIsADeviceError) {
  expect_error(ErrorKind::device, "", [] {
    static_cast<void>(pipeline::make_cuda_renderer({DeviceKind::cuda, 0}));
  });
}

TEST(CopyCounter, AddsUpByKind) {
  CopyCounter copies;
  copies.add(CopyKind::bitstream, 100);
  copies.add(CopyKind::bitstream, 23);
  pipeline::DescriptorUpload::count(copies);
  EXPECT_EQ(copies.total(CopyKind::bitstream), (CopyTotal{2, 123}));
  EXPECT_EQ(copies.total(CopyKind::descriptor), (CopyTotal{1, sizeof(FrameDescriptor)}));
  EXPECT_EQ(copies.total(CopyKind::download), CopyTotal{});
  EXPECT_EQ(name_of(CopyKind::download), "download");
  EXPECT_EQ(direction_of(CopyKind::upload), "to device");
  EXPECT_EQ(direction_of(CopyKind::counts), "to host");
  EXPECT_EQ(name_of(CopyKind::surface), "surface");
  EXPECT_EQ(direction_of(CopyKind::surface), "on device");
  EXPECT_EQ(name_of(CopyKind::drawing), "drawing");
  EXPECT_EQ(direction_of(CopyKind::drawing), "to device");
}

TEST(CopyCounter, AddsAnotherOne) {
  CopyCounter part;
  part.add(CopyKind::network_input, 12);
  part.add(CopyKind::network_output, 3);
  part.add(CopyKind::network_output, 4);
  CopyCounter all;
  all.add(CopyKind::network_input, 1);
  all.add(part);
  EXPECT_EQ(all.total(CopyKind::network_input), (CopyTotal{2, 13}));
  EXPECT_EQ(all.total(CopyKind::network_output), (CopyTotal{2, 7}));
  EXPECT_EQ(name_of(CopyKind::network_output), "network_output");
  EXPECT_EQ(direction_of(CopyKind::network_input), "to device");
  EXPECT_EQ(direction_of(CopyKind::network_output), "to host");
  EXPECT_EQ(name_of(CopyKind::crop_scores), "crop_scores");
  EXPECT_EQ(direction_of(CopyKind::crops), "to device");
  EXPECT_EQ(direction_of(CopyKind::crop_scores), "to host");
}

// These tests use an engine that needs frames in host memory.
class HostFrames : public testing::Test {
 protected:
  [[nodiscard]] video::EncoderPlan plan(const char* encoder, AVPixelFormat format) {
    const AVCodec& codec = *avcodec_find_encoder_by_name(encoder);
    return backend_->plan_encoder(codec, {{64, 48}, format, false}, {64, 48}, {}, notices_);
  }

  video::Notices notices_{"clip"};
  std::unique_ptr<pipeline::Backend> backend_ =
      pipeline::make_host_frames_backend({DeviceKind::cuda, 1}, fake_backend());
};

TEST_F(HostFrames, KeepNvdecsSamplesUpToTheEncoder) {
  EXPECT_EQ(backend_->device(), (Device{DeviceKind::cuda, 1}));
  EXPECT_EQ(plan("libx264", AV_PIX_FMT_NV12).working, AV_PIX_FMT_NV12);
  EXPECT_EQ(plan("mjpeg", AV_PIX_FMT_NV12).working, AV_PIX_FMT_NV12);
  EXPECT_EQ(plan("mjpeg", AV_PIX_FMT_NV12).encoded, AV_PIX_FMT_YUVJ420P);
  EXPECT_EQ(plan("libx264", AV_PIX_FMT_YUV420P).working, AV_PIX_FMT_YUV420P);
}

TEST_F(HostFrames, AreNothingForNvenc) {
  const AVCodec* const nvenc = avcodec_find_encoder_by_name("h264_nvenc");
  if (nvenc == nullptr) GTEST_SKIP() << "FFmpeg without NVENC";
  expect_error(ErrorKind::usage, "h264_nvenc: engine opencv keeps pictures in host memory",
               [&] { backend_->check_encoder(*nvenc); });
}

TEST_F(HostFrames, OfPicturesThatTheCpuDecodesAreNotDownloaded) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=64x64:d=0.1 -c:v libx264", folder / "clip.mp4");
  const video::Demuxer demuxer((folder / "clip.mp4").string(), {});
  CopyCounter copies;
  const auto decoder =
      backend_->make_decoder(demuxer, {}, video::DecoderChoice::cpu, notices_, copies);
  EXPECT_EQ(decoder->name(), "h264");
  EXPECT_FALSE(decoder->may_refuse());
}

}  // namespace
}  // namespace facepipe::test
