// These tests compare NVDEC's frames with those of the CPU's decoder, bit for bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/extra_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/video/cuda/decoding.h"
#include "video/ffmpeg_compat.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
namespace fs = std::filesystem;

struct Clip {
  const char* name;
  const char* arguments;
  const char* file;
};

void PrintTo(const Clip& clip, std::ostream* out) { *out << clip.name; }

/// NVDEC can decode these clips.
const std::vector<Clip> kClips{
    {"reordered", "-c:v libx264 -pix_fmt yuv420p -bf 3 -g 20", "clip.mp4"},
    {"no_reordering", "-c:v libx264 -pix_fmt yuv420p -tune zerolatency", "clip.mkv"},
    {"cropped", "-c:v libx264 -pix_fmt yuv420p -x264-params crop-rect=6,10,14,22", "clip.mp4"},
    {"odd_macroblocks", "-vf scale=386:218 -c:v libx264 -pix_fmt yuv420p", "clip.mp4"},
    {"interlaced", "-c:v libx264 -pix_fmt yuv420p -flags +ilme+ildct -x264-params tff=1",
     "clip.mp4"},
    {"full_range", "-c:v libx264 -pix_fmt yuvj420p -color_range pc -colorspace bt709", "clip.mp4"},
    {"raw", "-c:v libx264 -pix_fmt yuv420p -bf 0", "clip.h264"},
};

class NvdecClips : public testing::TestWithParam<Clip> {};

TEST_P(NvdecClips, GivesTheFramesOfTheCpu) {
  const TemporaryFolder folder;
  const fs::path file = folder / GetParam().file;
  ffmpeg(std::string(kDecodedSource) + GetParam().arguments, file);
  const Decoded expected = decode_on_cpu(file);
  for (const int in_flight : {1, 16}) {
    SCOPED_TRACE(std::to_string(in_flight) + " in flight");
    CudaDecoding options;
    options.choice = video::DecoderChoice::nvdec;
    options.frames_in_flight = in_flight;
    const Decoded found = decode_on_cuda(file, options);
    ASSERT_NO_FATAL_FAILURE(expect_equal(found, expected));
    EXPECT_EQ(found.name, "h264_nvdec");
    EXPECT_EQ(found.uploads, CopyTotal{});
  }
}

TEST_P(NvdecClips, GivesTheFramesOfTheCpuWhenTheCpuDecodesAndUploads) {
  const TemporaryFolder folder;
  const fs::path file = folder / GetParam().file;
  ffmpeg(std::string(kDecodedSource) + GetParam().arguments, file);
  CudaDecoding options;
  options.choice = video::DecoderChoice::cpu;
  const Decoded found = decode_on_cuda(file, options);
  ASSERT_NO_FATAL_FAILURE(expect_equal(found, decode_on_cpu(file)));
  EXPECT_EQ(found.uploads.calls, found.ledger.decoded);
}

INSTANTIATE_TEST_SUITE_P(All, NvdecClips, testing::ValuesIn(kClips),
                         [](const auto& test) { return std::string(test.param.name); });

std::size_t free_memory() {
  std::size_t free = 0;
  std::size_t all = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &all), cudaSuccess);
  return free;
}

// A kept decoder needs memory. If the second file made a new decoder, the memory would double.
TEST(Nvdec, GoesOnFromFileToFile) {
  if (!video::compat::kMayGoOn) GTEST_SKIP() << "this FFmpeg's decoders keep more of a stream";
  const TemporaryFolder folder;
  const std::string encoded = " -c:v libx264 -pix_fmt yuv420p -bf 3 -g 20";
  ffmpeg(kDecodedSource + encoded, folder / "one.mp4");
  ffmpeg("-f lavfi -i testsrc2=s=640x360:r=30:d=1.1 -vf hflip" + encoded, folder / "two.mp4");
  ffmpeg("-f lavfi -i testsrc2=s=320x240:r=30:d=1" + encoded, folder / "small.mp4");
  CudaDecoding options;
  options.choice = video::DecoderChoice::nvdec;
  static_cast<void>(decode_on_cuda(folder / "one.mp4", options));
  const std::size_t at_first = free_memory();
  options.kept = std::make_shared<video::KeptDecoders>();
  std::size_t with_one = 0;
  for (const char* const name : {"one.mp4", "two.mp4", "two.mp4", "one.mp4", "one.mp4"}) {
    SCOPED_TRACE(name);
    const Decoded found = decode_on_cuda(folder / name, options);
    ASSERT_NO_FATAL_FAILURE(expect_equal(found, decode_on_cpu(folder / name)));
    if (with_one == 0) with_one = free_memory();
    EXPECT_EQ(free_memory(), with_one);
  }
  EXPECT_LT(with_one, at_first);
  for (const char* const name : {"small.mp4", "one.mp4", "small.mp4"}) {
    SCOPED_TRACE(name);
    const Decoded found = decode_on_cuda(folder / name, options);
    ASSERT_NO_FATAL_FAILURE(expect_equal(found, decode_on_cpu(folder / name)));
  }
  options.kept.reset();
  EXPECT_GE(free_memory(), at_first);
}

TEST(Nvdec, KeepsToTheChosenRange) {
  const TemporaryFolder folder;
  ffmpeg(std::string(kDecodedSource) + "-c:v libx264 -pix_fmt yuv420p -bf 2", folder / "clip.mp4");
  CudaDecoding options;
  options.stream.start_s = 0.5;
  options.stream.end_s = 1.2;
  const Decoded found = decode_on_cuda(folder / "clip.mp4", options);
  ASSERT_NO_FATAL_FAILURE(expect_equal(found, decode_on_cpu(folder / "clip.mp4", options.stream)));
  EXPECT_EQ(found.ledger.decoded, 21);
}

/// Returns the share of samples that differ by more than 8. Two correct JPEG decoders can differ by
/// up to 8.
double share_of_other_samples(const Samples& one, const Samples& other) {
  constexpr int kRounding = 8;
  std::size_t others = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    if (std::abs(int{one[i]} - int{other[i]}) > kRounding) ++others;
  return static_cast<double>(others) / static_cast<double>(one.size());
}

TEST(Nvdec, FindsTheChromaOfOddHeights) {
  for (const char* const size : {"642x362", "642x361", "641x361"}) {
    SCOPED_TRACE(size);
    const TemporaryFolder folder;
    const fs::path file = folder / "clip.mkv";
    ffmpeg("-f lavfi -i testsrc2=r=30:d=0.2:s=" + std::string(size) +
               " -c:v mjpeg -q:v 2 -pix_fmt yuvj420p",
           file);
    CudaDecoding options;
    options.choice = video::DecoderChoice::nvdec;
    const Decoded found = decode_on_cuda(file, options);
    const Decoded expected = decode_on_cpu(file);
    ASSERT_EQ(found.shots.size(), expected.shots.size());
    for (std::size_t i = 0; i < found.shots.size(); ++i) {
      ASSERT_EQ(found.shots[i].samples.size(), expected.shots[i].samples.size());
      EXPECT_LT(share_of_other_samples(found.shots[i].samples, expected.shots[i].samples), 1e-4);
    }
  }
}

bool ffmpeg_has(const std::string& encoder, const std::string& format) {
  return run_command({"ffmpeg", "-hide_banner", "-h", "encoder=" + encoder}).out.find(format) !=
         std::string::npos;
}

/// Returns a clip in HEVC Main 10: a file of the extra data, or one that ffmpeg makes. Returns
/// nullopt if there is no such file and ffmpeg has no such encoder.
std::optional<fs::path> ten_bit_clip(const TemporaryFolder& folder) {
  fs::path ready = extra_data() / "main10.mp4";
  if (fs::exists(ready)) return ready;
  if (!ffmpeg_has("libx265", "yuv420p10le")) return std::nullopt;
  ffmpeg(std::string(kDecodedSource) + "-c:v libx265 -pix_fmt yuv420p10le", folder / "clip.mp4");
  return folder / "clip.mp4";
}
constexpr const char* kNoTenBits = "neither main10.mp4 in FACEPIPE_TEST_DATA nor libx265 in ffmpeg";

TEST(Nvdec, DecodesTenBits) {
  const TemporaryFolder folder;
  const std::optional<fs::path> made = ten_bit_clip(folder);
  if (!made) GTEST_SKIP() << kNoTenBits;
  const fs::path& file = *made;
  CudaDecoding options;
  options.choice = video::DecoderChoice::nvdec;
  const Decoded found = decode_on_cuda(file, options);
  ASSERT_NO_FATAL_FAILURE(expect_equal(found, decode_on_cpu(file)));
  EXPECT_EQ(found.name, "hevc_nvdec");
}

TEST(Nvdec, APictureThatDoesntComeIsCountedAsLost) {
  const TemporaryFolder folder;
  const fs::path file = folder / "clip.mp4";
  ffmpeg(std::string(kDecodedSource) +
             "-c:v libx264 -pix_fmt yuv420p -bf 2 -x264-params b-pyramid=none",
         file);
  video::Demuxer demuxer(file.string(), {});
  video::Notices notices(file.string());
  CopyCounter copies;
  CudaDecoding options;
  const std::unique_ptr<video::Decoder> decoder =
      cuda_decoder(demuxer, options, notices, copies)(video::DecoderChoice::nvdec);
  const auto drop_pictures = [&] {
    while (decoder->next()) {
    }
  };
  std::int64_t latest = 0;
  int spoilt = 0;
  while (video::UniqueAVPacket packet = demuxer.read()) {
    const bool reordered = packet->pts < latest;
    latest = std::max(latest, packet->pts);
    if (reordered && latest > 10 * packet->duration && spoilt == 0) {
      video::check_av(av_packet_make_writable(packet.get()), ErrorKind::internal, "packet");
      std::fill(packet->data + 4, packet->data + packet->size, std::uint8_t{0xFF});
      ++spoilt;
    }
    decoder->send({std::move(packet), {}});
    drop_pictures();
  }
  decoder->finish();
  drop_pictures();
  ASSERT_EQ(spoilt, 1);
  EXPECT_EQ(decoder->ledger().packets, 60);
  EXPECT_EQ(decoder->ledger().lost, 1);
  EXPECT_EQ(decoder->ledger().decoded, 59);
}

/// Overwrites half of the data of three pictures. Each of them is shown before pictures that are
/// decoded earlier. Expects that exactly these three pictures are reported as damaged.
void expect_that_spoilt_are_damaged(const fs::path& file) {
  video::Demuxer demuxer(file.string(), {});
  video::Notices notices(file.string());
  CopyCounter copies;
  const std::unique_ptr<video::Decoder> decoder =
      cuda_decoder(demuxer, {}, notices, copies)(video::DecoderChoice::nvdec);
  std::vector<std::int64_t> damaged;
  const auto take_pictures = [&] {
    while (const std::optional<video::DecodedPicture> picture = decoder->next())
      if (picture->damaged) damaged.push_back(picture->coded.pts);
  };
  std::vector<std::int64_t> spoilt;
  std::int64_t latest = 0;
  while (video::UniqueAVPacket packet = demuxer.read()) {
    const bool reordered = packet->pts < latest;
    latest = std::max(latest, packet->pts);
    if (reordered && latest > 10 * packet->duration && spoilt.size() < 3 && packet->size > 60) {
      video::check_av(av_packet_make_writable(packet.get()), ErrorKind::internal, "packet");
      std::fill(packet->data + packet->size / 2, packet->data + packet->size, std::uint8_t{0xFF});
      spoilt.push_back(packet->pts);
    }
    decoder->send({std::move(packet), {}});
    take_pictures();
  }
  decoder->finish();
  take_pictures();
  ASSERT_EQ(spoilt.size(), 3U);
  std::ranges::sort(spoilt);
  EXPECT_EQ(damaged, spoilt);
  EXPECT_EQ(decoder->ledger().damaged, 3);
  EXPECT_EQ(decoder->ledger().lost, 0);
}

TEST(Nvdec, APictureThatTheChipHasConcealedIsDamaged) {
  const TemporaryFolder folder;
  ffmpeg(std::string(kDecodedSource) + "-c:v libx264 -pix_fmt yuv420p -bf 2", folder / "clip.mp4");
  expect_that_spoilt_are_damaged(folder / "clip.mp4");
}

TEST(Nvdec, APictureOfHevcThatTheChipHasConcealedIsDamaged) {
  const TemporaryFolder folder;
  const std::optional<fs::path> file = ten_bit_clip(folder);
  if (!file) GTEST_SKIP() << kNoTenBits;
  expect_that_spoilt_are_damaged(*file);
}

TEST(Nvdec, LeavesToTheCpuWhatItCantTellDamageOfIfThatMatters) {
  if (!ffmpeg_has("mpeg2video", "yuv420p")) GTEST_SKIP() << "ffmpeg has no encoder for MPEG-2";
  const TemporaryFolder folder;
  ffmpeg(std::string(kDecodedSource) + "-t 0.2 -c:v mpeg2video -pix_fmt yuv420p",
         folder / "clip.mkv");
  ffmpeg(std::string(kDecodedSource) + "-t 0.2 -c:v libx264 -pix_fmt yuv420p", folder / "clip.mp4");
  CudaDecoding options;
  EXPECT_EQ(decode_on_cuda(folder / "clip.mkv", options).name, "mpeg2video_nvdec");
  options.stream.must_tell_damage = true;
  EXPECT_EQ(decode_on_cuda(folder / "clip.mp4", options).name, "h264_nvdec");
  const Decoded found = decode_on_cuda(folder / "clip.mkv", options);
  EXPECT_EQ(found.name, "mpeg2video");
  EXPECT_THAT(found.notices, Contains(HasSubstr("don't tell which pictures of mpeg2video")));
}

/// Returns options for one thread. With several threads, it would depend on chance which pictures
/// FFmpeg loses when the size changes.
video::DecoderOptions in_order() {
  video::DecoderOptions options;
  options.threads = 1;
  return options;
}

/// Makes a stream whose size changes, by joining two streams.
fs::path make_changing(const TemporaryFolder& folder) {
  ffmpeg(std::string(kDecodedSource) + "-c:v libx264 -pix_fmt yuv420p -bf 3", folder / "a.h264");
  ffmpeg(std::string(kDecodedSource) + "-vf scale=322:242 -c:v libx264 -pix_fmt yuv420p",
         folder / "b.h264");
  ffmpeg("-f h264 -i concat:" + (folder / "a.h264").string() + "|" + (folder / "b.h264").string() +
             "|" + (folder / "a.h264").string() + " -c copy",
         folder / "changing.h264");
  return folder / "changing.h264";
}

double mean_difference(const Samples& one, const Samples& other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += std::abs(int{one[i]} - int{other[i]});
  return sum / static_cast<double>(one.size());
}

TEST(Nvdec, MakesPicturesThatChangeLikeTheFirst) {
  const TemporaryFolder folder;
  const fs::path file = make_changing(folder);
  const Decoded expected = decode_on_cpu(file, in_order());
  CudaDecoding options;
  options.choice = video::DecoderChoice::nvdec;
  const Decoded found = decode_on_cuda(file, options);
  ASSERT_EQ(found.shots.size(), expected.shots.size());
  EXPECT_EQ(found.ledger.lost, expected.ledger.lost);
  for (std::size_t i = 0; i < found.shots.size(); ++i) {
    ASSERT_EQ(found.shots[i].size, (Size{640, 360}));
    EXPECT_LT(mean_difference(found.shots[i].samples, expected.shots[i].samples), 1.0) << i;
  }
  EXPECT_THAT(found.notices, Contains("pictures change from 640x360 yuv420p to 322x242 yuv420p in "
                                      "the middle of the file; converted to be like the first"));
  EXPECT_EQ(video::live_frames(), 0);
}

TEST(Nvdec, EndsWherePicturesChangeIfAskedTo) {
  const TemporaryFolder folder;
  CudaDecoding options;
  options.stream.scale_on_change = false;
  try {
    static_cast<void>(decode_on_cuda(make_changing(folder), options));
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(),
                HasSubstr("from 640x360 yuv420p to 322x242 yuv420p in the middle of the file"));
  }
  EXPECT_EQ(video::live_frames(), 0);
}

/// Describes an entry of an edit list: a part of the track that is shown.
struct Edit {
  std::uint32_t duration = 0;  ///< in the movie's time scale
  std::uint32_t begin = 0;     ///< in the track's time scale
};

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

/// Replaces the edit list of an MP4 file (ISO/IEC 14496-12, 8.6.6). FFmpeg's muxer writes a list
/// with one entry behind the samples, so the positions of samples stay the same.
void set_edits(const fs::path& mp4, const std::vector<Edit>& edits) {
  std::string bytes = read_file(mp4);
  const std::size_t list = bytes.find("elst");
  ASSERT_NE(list, std::string::npos);
  constexpr std::size_t kOneEntry = 24;  // bytes from the box's name to its end
  std::string entries = big_endian(0) + big_endian(static_cast<std::uint32_t>(edits.size()));
  for (const Edit& edit : edits)
    entries += big_endian(edit.duration) + big_endian(edit.begin) + big_endian(0x10000);
  bytes.replace(list - 4, 4 + kOneEntry,
                big_endian(static_cast<std::uint32_t>(entries.size() + 8)) + "elst" + entries);
  const auto growth = static_cast<std::uint32_t>(entries.size() + 4 - kOneEntry);
  for (const char* const parent : {"edts", "trak", "moov"}) {
    const std::size_t box = bytes.rfind(parent, list) - 4;
    std::uint32_t size = 0;
    for (std::size_t i = 0; i < 4; ++i)
      size = size << 8 | static_cast<std::uint8_t>(bytes[box + i]);
    bytes.replace(box, 4, big_endian(size + growth));
  }
  std::ofstream(mp4, std::ios::binary) << bytes;
}

// From the stamps of such a file, FFmpeg guesses that more pictures are reordered than the stream
// states, and holds them back. Decoding needs more surfaces for these pictures.
TEST(Nvdec, HasSurfacesForWhatEditListsHoldBack) {
  const TemporaryFolder folder;
  const fs::path file = folder / "clip.mp4";
  ffmpeg(std::string(kDecodedSource) + "-c:v libx264 -pix_fmt yuv420p -bf 3 -g 12", file);
  set_edits(file, {{900, 1024}, {900, 1024 + 3840}, {900, 1024 + 7680}});
  const Decoded expected = decode_on_cpu(file, in_order());
  ASSERT_EQ(expected.ledger.lost, 0);
  CudaDecoding options;
  options.choice = video::DecoderChoice::nvdec;
  const Decoded found = decode_on_cuda(file, options);
  ASSERT_NO_FATAL_FAILURE(expect_equal(found, expected));
  EXPECT_EQ(found.shots.size(), 81U);
}

TEST(Nvdec, RefusesToTurnPixelsThatTheCpuTurns) {
  const TemporaryFolder folder;
  ffmpeg(std::string(kDecodedSource) + "-t 0.2 -c:v libx264 -pix_fmt yuv420p", folder / "clip.mp4");
  mark_turned(folder / "clip.mp4");
  CudaDecoding turning;
  turning.turns = true;
  EXPECT_THROW(static_cast<void>(decode_on_cuda(folder / "clip.mp4", turning)), Error);
  CudaDecoding by_cpu = turning;
  by_cpu.choice = video::DecoderChoice::cpu;
  CudaDecoding by_whom_can = turning;
  by_whom_can.stream.tags_rotation = false;
  for (const CudaDecoding& options : {by_cpu, by_whom_can}) {
    const Decoded found = decode_on_cuda(folder / "clip.mp4", options);
    ASSERT_FALSE(found.shots.empty());
    EXPECT_EQ(found.shots[0].size, (Size{360, 640}));
    EXPECT_TRUE(found.shots[0].orientation.upright());
  }
}

TEST(Nvdec, TellsWhatTheDeviceWillHold) {
  const TemporaryFolder folder;
  ffmpeg(std::string(kDecodedSource) +
             "-t 0.2 -c:v libx264 -pix_fmt yuv420p -x264-params "
             "crop-rect=6,10,14,22",
         folder / "clip.mp4");
  for (const video::DecoderChoice choice :
       {video::DecoderChoice::nvdec, video::DecoderChoice::cpu}) {
    video::Demuxer demuxer((folder / "clip.mp4").string(), {});
    video::Notices notices("clip");
    CopyCounter copies;
    const video::FirstPicture first = video::read_first_picture(
        demuxer, cuda_decoder(demuxer, {}, notices, copies), choice,
        [](const AVPacket&, const video::Decoder&) { return false; }, notices);
    ASSERT_TRUE(first.picture.has_value());
    const video::PictureFacts facts = first.decoder->facts_of(*first.picture->picture);
    EXPECT_EQ(facts.format, AV_PIX_FMT_NV12);
    EXPECT_EQ(facts.size, (Size{640 - 6 - 14, 360 - 10 - 22}));
  }
}

}  // namespace
}  // namespace facepipe::test
