// These tests check that a muxer writes the same bytes through OutputIo as through FFmpeg's own
// files.
#include "video/write/output_io.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include "tests/support/temporary_folder.h"

namespace facepipe::video {
namespace {

namespace fs = std::filesystem;
using test::read_file;

/// Some packets are smaller than FFmpeg's buffers, and some are larger.
constexpr int kSizes[] = {100, 3'000, 60'000, 700'000};

class OutputIoTest : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] UniqueOutputContext open_muxer() const {
    AVFormatContext* context = nullptr;
    check_av(avformat_alloc_output_context2(&context, nullptr, GetParam(), nullptr),
             ErrorKind::output, GetParam());
    UniqueOutputContext muxer(context);
    muxer->flags |= AVFMT_FLAG_BITEXACT;
    AVStream* const stream = allocated(avformat_new_stream(context, nullptr));
    stream->codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
    stream->codecpar->codec_id = AV_CODEC_ID_MPEG2VIDEO;
    stream->codecpar->width = 64;
    stream->codecpar->height = 48;
    stream->avg_frame_rate = {25, 1};
    stream->time_base = {1, 25};
    return muxer;
  }

  /// Writes 100 packets, which are the same for every muxer.
  static void write_all(AVFormatContext& muxer) {
    check_av(avformat_write_header(&muxer, nullptr), ErrorKind::output, "header");
    std::mt19937 random(20240608);  // NOLINT(cert-msc32-c,cert-msc51-cpp): a fixed seed makes the
                                    // cases repeatable
    for (int i = 0; i < 100; ++i) {
      UniqueAVPacket packet = new_av_packet();
      const int size = 1 + static_cast<int>(random() % static_cast<unsigned>(kSizes[i % 4]));
      check_av(av_new_packet(packet.get(), size), ErrorKind::internal, "packet");
      for (int at = 0; at < size; ++at) packet->data[at] = static_cast<std::uint8_t>(random());
      packet->pts = packet->dts = i;
      packet->duration = 1;
      packet->flags |= AV_PKT_FLAG_KEY;
      av_packet_rescale_ts(packet.get(), {1, 25}, muxer.streams[0]->time_base);
      check_av(av_interleaved_write_frame(&muxer, packet.get()), ErrorKind::output, "frame");
    }
    check_av(av_write_trailer(&muxer), ErrorKind::output, "trailer");
  }

  const test::TemporaryFolder dir_;
};

TEST_P(OutputIoTest, MakesTheFileThatFFmpegMakes) {
  const fs::path theirs = dir_ / "theirs";
  {
    const UniqueOutputContext muxer = open_muxer();
    check_av(avio_open(&muxer->pb, theirs.c_str(), AVIO_FLAG_WRITE), ErrorKind::output, "theirs");
    write_all(*muxer);
    check_av(avio_closep(&muxer->pb), ErrorKind::output, "theirs");
  }
  const fs::path ours = dir_ / "ours";
  {
    OutputFile file(ours, ExistingTarget::refuse);
    OutputIo io(file);
    const UniqueOutputContext muxer = open_muxer();
    io.attach(*muxer);
    write_all(*muxer);
    ASSERT_EQ(io.flush(), 0);
    file.commit();
  }
  ASSERT_GT(fs::file_size(ours), 1'000'000U);
  EXPECT_TRUE(read_file(ours) == read_file(theirs));
}

TEST_P(OutputIoTest, TellsWhatTheFileMet) {
  OutputFile file("/dev/full", ExistingTarget::refuse);
  OutputIo io(file);
  const UniqueOutputContext muxer = open_muxer();
  io.attach(*muxer);
  avio_wb32(muxer->pb, 0);
  EXPECT_EQ(io.flush(), AVERROR(ENOSPC));
  EXPECT_EQ(io.queue().full(), ENOSPC);
}

INSTANTIATE_TEST_SUITE_P(Formats, OutputIoTest,
                         testing::Values("avi", "mp4", "mov", "matroska", "mpegts", "nut"));

}  // namespace
}  // namespace facepipe::video
