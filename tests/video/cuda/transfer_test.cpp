// These tests upload pictures to the device and download them. They check every sample and
// property, and the number of copied bytes.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "pipeline/cuda/descriptor.h"
#include "tests/support/test_frame.h"
#include "video/cuda/pictures.h"
#include "video/cuda/transfer.h"
#include "video/frames/pictures.h"

namespace facepipe::video {
namespace {

struct Kind {
  const char* name;
  AVPixelFormat format;
  int bits;
  AVPixelFormat on_device;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

Frame noise(const Kind& kind, Size size, unsigned seed) {
  std::mt19937 random(seed);
  UniqueAVFrame picture = new_av_frame();
  picture->format = kind.format;
  picture->width = size.width;
  picture->height = size.height;
  picture->color_range = AVCOL_RANGE_JPEG;
  picture->colorspace = AVCOL_SPC_BT2020_NCL;
  check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "picture");
  check_av(av_dict_set(&picture->metadata, "key", "value", 0), ErrorKind::internal, "metadata");
  for (int c = 0; c < 3; ++c) {
    const int width = c == 0 ? size.width : (size.width + 1) / 2;
    const int height = c == 0 ? size.height : (size.height + 1) / 2;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        std::uint8_t* const row = picture->data[c] + y * picture->linesize[c];
        const auto value = static_cast<std::uint16_t>(random() & ((1U << kind.bits) - 1));
        if (kind.bits == 8)
          row[x] = static_cast<std::uint8_t>(value);
        else
          reinterpret_cast<std::uint16_t*>(row)[x] = value;
      }
  }
  Frame frame = wrap(std::move(picture));
  frame.orientation = {3, true};
  frame.sample_aspect = {5, 4};
  frame.field_order = FieldOrder::bottom_first;
  frame.pts = 77;
  frame.duration = 3;
  frame.time_base = {1, 90};
  frame.index = 12;
  return frame;
}

unsigned sample(const Frame& frame, std::size_t plane, int x, int y) {
  return test::raw_sample(frame, plane, x, y) >> frame.format.shift;
}

int wrong_samples(const Frame& sent, const Frame& came) {
  int wrong = 0;
  for (int y = 0; y < sent.size.height; ++y)
    for (int x = 0; x < sent.size.width; ++x)
      wrong += sample(sent, 0, x, y) != sample(came, 0, x, y) ? 1 : 0;
  for (int y = 0; y < sent.chroma_size().height; ++y)
    for (int x = 0; x < sent.chroma_size().width; ++x) {
      wrong += sample(sent, 1, x, y) != sample(came, 1, 2 * x, y) ? 1 : 0;
      wrong += sample(sent, 2, x, y) != sample(came, 1, 2 * x + 1, y) ? 1 : 0;
    }
  return wrong;
}

void expect_same_properties(const Frame& sent, const Frame& came) {
  EXPECT_EQ(came.size, sent.size);
  EXPECT_EQ(came.color, sent.color);
  EXPECT_EQ(came.orientation, sent.orientation);
  EXPECT_EQ(came.sample_aspect, sent.sample_aspect);
  EXPECT_EQ(came.field_order, sent.field_order);
  EXPECT_EQ(came.pts, sent.pts);
  EXPECT_EQ(came.duration, sent.duration);
  EXPECT_EQ(came.time_base, sent.time_base);
  EXPECT_EQ(came.index, sent.index);
  const AVDictionaryEntry* const entry = av_dict_get(unwrap(came).metadata, "key", nullptr, 0);
  ASSERT_NE(entry, nullptr);
  EXPECT_STREQ(entry->value, "value");
}

class Transfer : public testing::TestWithParam<Kind> {};

TEST_P(Transfer, UpAndDownKeepsEverything) {
  const cuda::Stream up;
  const cuda::Stream down;
  for (const Size size : {Size{320, 180}, Size{333, 251}, Size{1, 1}, Size{2, 3}}) {
    CopyCounter copies;
    PictureUpload upload(size, GetParam().bits, 1, {DeviceKind::cuda, 0}, copies);
    const int bits = GetParam().bits > 10 ? 16 : GetParam().bits;  // bits in FFmpeg's format for
                                                                   // the device
    PictureDownload download(size, bits, 1, copies);
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const Frame sent = noise(GetParam(), size, seed);
      Frame there = upload.upload(sent, up);
      EXPECT_EQ(there.device, (Device{DeviceKind::cuda, 0}));
      EXPECT_EQ(there.format, workable_format(GetParam().on_device));
      ASSERT_NE(there.ready, nullptr);
      expect_same_properties(sent, there);
      const Frame came = download.start(std::move(there), down).wait();
      EXPECT_EQ(came.device, Device{});
      expect_same_properties(sent, came);
      EXPECT_EQ(wrong_samples(sent, came), 0) << size.width;
    }
    const int chroma = 2 * ((size.width + 1) / 2) * ((size.height + 1) / 2);
    const int bytes = (size.width * size.height + chroma) * (bits > 8 ? 2 : 1);
    EXPECT_EQ(copies.total(CopyKind::upload).calls, 4);
    EXPECT_GE(copies.total(CopyKind::upload).bytes, 4 * bytes);
    EXPECT_EQ(copies.total(CopyKind::download), (CopyTotal{8, 4 * bytes}));
  }
  EXPECT_EQ(live_frames(), 0);
}

TEST_P(Transfer, RefusesPicturesUnlikeTheFirst) {
  CopyCounter copies;
  const cuda::Stream stream;
  PictureUpload upload({64, 48}, GetParam().bits, 1, {DeviceKind::cuda, 0}, copies);
  EXPECT_THROW(static_cast<void>(upload.upload(noise(GetParam(), {64, 46}, 1), stream)), Error);
  PictureDownload download({64, 48}, 8, 1, copies);
  EXPECT_THROW(static_cast<void>(download.start(noise(GetParam(), {64, 48}, 1), stream)), Error);
  FrameDescriptor descriptor;
  EXPECT_THROW(pipeline::describe_picture(noise(GetParam(), {64, 48}, 1), descriptor), Error);
  EXPECT_EQ(copies.total(CopyKind::upload), CopyTotal{});
}

// More frames exist than planned. The pool must allocate more memory, and no two frames may share
// it.
TEST_P(Transfer, FramesAliveHaveTheirOwnMemory) {
  CopyCounter copies;
  const cuda::Stream stream;
  const Size size{64, 48};
  PictureUpload upload(size, GetParam().bits, 2, {DeviceKind::cuda, 0}, copies);
  PictureDownload download(size, GetParam().bits > 10 ? 16 : GetParam().bits, 2, copies);
  std::vector<DownloadingFrame> going;
  for (unsigned seed = 0; seed < 6; ++seed)
    going.push_back(download.start(upload.upload(noise(GetParam(), size, seed), stream), stream));
  std::vector<Frame> came;
  for (DownloadingFrame& frame : going) came.push_back(frame.wait());
  for (unsigned seed = 0; seed < 6; ++seed)
    EXPECT_EQ(wrong_samples(noise(GetParam(), size, seed), came[seed]), 0) << seed;
}

// Uploads one after the other use the same memory. Two uploads at the same time have separate
// memory.
TEST_P(Transfer, KeptMemoryIsUsedAgain) {
  CopyCounter copies;
  const cuda::Stream stream;
  const Size size{64, 48};
  UploadMemory kept;
  std::set<const std::byte*> first;
  for (unsigned seed = 0; seed < 3; ++seed) {
    PictureUpload upload(size, GetParam().bits, 1, {DeviceKind::cuda, 0}, copies, &kept);
    Frame there = upload.upload(noise(GetParam(), size, seed), stream);
    PictureUpload other(size, GetParam().bits, 1, {DeviceKind::cuda, 0}, copies, &kept);
    const Frame beside = other.upload(noise(GetParam(), size, seed + 10), stream);
    const std::set<const std::byte*> taken{there.planes[0].data, beside.planes[0].data};
    EXPECT_EQ(taken.size(), 2U);
    if (seed == 0) first = taken;
    EXPECT_EQ(taken, first);
    PictureDownload download(size, GetParam().bits > 10 ? 16 : GetParam().bits, 1, copies);
    EXPECT_EQ(wrong_samples(noise(GetParam(), size, seed),
                            download.start(std::move(there), stream).wait()),
              0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Transfer,
    testing::Values(Kind{"yuv420p", AV_PIX_FMT_YUV420P, 8, AV_PIX_FMT_NV12},
                    Kind{"yuv420p10", AV_PIX_FMT_YUV420P10, 10, AV_PIX_FMT_P010LE},
                    Kind{"yuv420p16", AV_PIX_FMT_YUV420P16, 16, AV_PIX_FMT_P016LE}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace facepipe::video
