// NVDEC's frames against the CPU decoder's, bit for bit; what NVDEC can't do against the choice.
#include "pipeline/cuda/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "pipeline/cuda/download.h"
#include "pipeline/encoder.h"
#include "pipeline/pictures.h"
#include "tests/support/clips.h"
#include "tests/support/extra_data.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
namespace fs = std::filesystem;

/// Samples without a format's shift, in the order Y, U, V.
using Samples = std::vector<std::uint16_t>;

unsigned sample(const Frame& frame, const Plane& plane, int x, int y) {
  const std::byte* const row = plane.data + y * plane.stride;
  if (frame.format.bits == 8) return std::to_integer<unsigned>(row[x]);
  return static_cast<unsigned>(reinterpret_cast<const std::uint16_t*>(row)[x]) >>
         frame.format.shift;
}

Samples samples_of(const Frame& frame) {
  Samples all;
  for (int y = 0; y < frame.size.height; ++y)
    for (int x = 0; x < frame.size.width; ++x)
      all.push_back(static_cast<std::uint16_t>(sample(frame, frame.planes[0], x, y)));
  const Size chroma = frame.chroma_size();
  for (int component = 0; component < 2; ++component)
    for (int y = 0; y < chroma.height; ++y)
      for (int x = 0; x < chroma.width; ++x) {
        const bool pairs = frame.format.semi_planar;
        const Plane& plane = frame.planes[pairs ? 1 : 1 + static_cast<std::size_t>(component)];
        const int column = pairs ? 2 * x + component : x;
        all.push_back(static_cast<std::uint16_t>(sample(frame, plane, column, y)));
      }
  return all;
}

/// What a test compares of one frame.
struct Shot {
  Samples samples;
  Size size;
  std::int64_t pts = 0;
  std::int64_t duration = 0;
  std::int64_t index = 0;
  FieldOrder field_order = FieldOrder::progressive;
  Orientation orientation;
  ColorInfo color;
};

Shot shot_of(const Frame& frame) {
  return {samples_of(frame), frame.size,        frame.pts,         frame.duration,
          frame.index,       frame.field_order, frame.orientation, frame.color};
}

struct Decoded {
  std::vector<Shot> shots;
  FrameLedger ledger;
  std::string name;
  std::vector<std::string> notices;
  CopyTotal uploads;
};

PictureTarget keep(const AVFrame& first, Orientation /*orientation*/) {
  return {first.width, first.height, working_format(static_cast<AVPixelFormat>(first.format)), {}};
}

void decode_all(Demuxer& demuxer, Decoder& decoder, const Decoder::Sink& sink) {
  while (const UniqueAVPacket packet = demuxer.read())
    if (packet->stream_index == demuxer.video_index()) decoder.decode(*packet, {}, sink);
  decoder.flush(sink);
}

Decoded decode_on_cpu(const fs::path& file, const DecoderOptions& options = {}) {
  Demuxer demuxer(file.string(), {});
  Notices notices(file.string());
  const std::unique_ptr<Decoder> decoder = make_cpu_decoder(demuxer, options, keep, notices);
  Decoded result;
  decode_all(demuxer, *decoder,
             [&](DecodedFrame decoded) { result.shots.push_back(shot_of(decoded.frame)); });
  result.ledger = decoder->ledger();
  return result;
}

/// Keeps options.frames_in_flight frames alive, as a pipeline does, and fetches each when it goes.
/// Then it is drawn over, which no picture decoded later may show.
class Fetcher {
 public:
  explicit Fetcher(std::size_t in_flight) : in_flight_(in_flight) {}

  void take(Frame frame, std::vector<Shot>& shots) {
    EXPECT_EQ(frame.device, (Device{DeviceKind::cuda, 0}));
    alive_.push_back(std::move(frame));
    while (alive_.size() > in_flight_) fetch(shots);
  }
  void fetch_all(std::vector<Shot>& shots) {
    while (!alive_.empty()) fetch(shots);
  }

 private:
  void fetch(std::vector<Shot>& shots) {
    const Frame& oldest = alive_.front();
    if (!download_) download_.emplace(oldest.size, oldest.format.bits, 1, copies_);
    const std::array<Plane, 4> planes = oldest.planes;
    const Size size = oldest.size;
    DownloadingFrame going = download_->start(std::move(alive_.front()), stream_);
    alive_.pop_front();
    scribble(planes[0], size.width, size.height);
    scribble(planes[1], size.width, size.height / 2);
    stream_.synchronize();
    shots.push_back(shot_of(going.wait()));
  }

  void scribble(const Plane& plane, int bytes, int rows) {
    EXPECT_EQ(cudaMemset2DAsync(plane.data, static_cast<std::size_t>(plane.stride), 0x5A,
                                static_cast<std::size_t>(bytes), static_cast<std::size_t>(rows),
                                stream_.view().get()),
              cudaSuccess);
  }

  std::size_t in_flight_;
  std::deque<Frame> alive_;
  cuda::Stream stream_;
  CopyCounter copies_;
  std::optional<PictureDownload> download_;
};

Decoded decode_on_cuda(const fs::path& file, const CudaDecoderOptions& options,
                       const TargetChooser& chooser = keep) {
  Demuxer demuxer(file.string(), {});
  Notices notices(file.string());
  CopyCounter copies;
  std::unique_ptr<Decoder> decoder = make_cuda_decoder(demuxer, options, chooser, notices, copies);
  Fetcher fetcher(static_cast<std::size_t>(options.frames_in_flight));
  Decoded result;
  decode_all(demuxer, *decoder,
             [&](DecodedFrame decoded) { fetcher.take(std::move(decoded.frame), result.shots); });
  result.ledger = decoder->ledger();
  result.name = decoder->name();
  decoder.reset();  // frames may outlive it
  fetcher.fetch_all(result.shots);
  result.notices = notices.all();
  result.uploads = copies.total(CopyKind::upload);
  return result;
}

void expect_equal(const Shot& found, const Shot& expected) {
  ASSERT_EQ(found.size, expected.size);
  ASSERT_TRUE(found.samples == expected.samples);
  EXPECT_EQ(found.pts, expected.pts);
  EXPECT_EQ(found.duration, expected.duration);
  EXPECT_EQ(found.index, expected.index);
  EXPECT_EQ(found.field_order, expected.field_order);
  EXPECT_EQ(found.orientation, expected.orientation);
  EXPECT_EQ(found.color, expected.color);
}

void expect_equal(const Decoded& found, const Decoded& expected) {
  ASSERT_EQ(found.shots.size(), expected.shots.size());
  for (std::size_t i = 0; i < found.shots.size(); ++i) {
    SCOPED_TRACE("frame " + std::to_string(i));
    ASSERT_NO_FATAL_FAILURE(expect_equal(found.shots[i], expected.shots[i]));
  }
  EXPECT_EQ(found.ledger.packets, expected.ledger.packets);
  EXPECT_EQ(found.ledger.decoded, expected.ledger.decoded);
  EXPECT_EQ(found.ledger.lost, expected.ledger.lost);
  EXPECT_GT(found.ledger.decoded, 0);
}

constexpr const char* kSource = "-f lavfi -i testsrc2=s=640x360:r=30:d=2 ";

struct Clip {
  const char* name;
  const char* arguments;
  const char* file;
};

void PrintTo(const Clip& clip, std::ostream* out) { *out << clip.name; }

/// What NVDEC decodes.
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
  ffmpeg(std::string(kSource) + GetParam().arguments, file);
  const Decoded expected = decode_on_cpu(file);
  for (const int in_flight : {1, 16}) {
    SCOPED_TRACE(std::to_string(in_flight) + " in flight");
    CudaDecoderOptions options;
    options.choice = DecoderChoice::nvdec;
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
  ffmpeg(std::string(kSource) + GetParam().arguments, file);
  CudaDecoderOptions options;
  options.choice = DecoderChoice::cpu;
  const Decoded found = decode_on_cuda(file, options);
  ASSERT_NO_FATAL_FAILURE(expect_equal(found, decode_on_cpu(file)));
  EXPECT_EQ(found.uploads.calls, found.ledger.decoded);
}

INSTANTIATE_TEST_SUITE_P(All, NvdecClips, testing::ValuesIn(kClips),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Nvdec, KeepsToTheChosenRange) {
  const TemporaryFolder folder;
  ffmpeg(std::string(kSource) + "-c:v libx264 -pix_fmt yuv420p -bf 2", folder / "clip.mp4");
  CudaDecoderOptions options;
  options.stream.start_s = 0.5;
  options.stream.end_s = 1.2;
  const Decoded found = decode_on_cuda(folder / "clip.mp4", options);
  ASSERT_NO_FATAL_FAILURE(expect_equal(found, decode_on_cpu(folder / "clip.mp4", options.stream)));
  EXPECT_EQ(found.ledger.decoded, 21);
}

/// The share of samples that differ by more than decoders of JPEG may.
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
    CudaDecoderOptions options;
    options.choice = DecoderChoice::nvdec;
    const Decoded found = decode_on_cuda(file, options);
    const Decoded expected = decode_on_cpu(file);
    ASSERT_EQ(found.shots.size(), expected.shots.size());
    for (std::size_t i = 0; i < found.shots.size(); ++i) {
      ASSERT_EQ(found.shots[i].samples.size(), expected.shots[i].samples.size());
      EXPECT_LT(share_of_other_samples(found.shots[i].samples, expected.shots[i].samples), 1e-4);
    }
  }
}

// Main 10 needs an encoder that not every ffmpeg has; such a clip may lie beside the other data.
TEST(Nvdec, DecodesTenBits) {
  const TemporaryFolder folder;
  fs::path file = extra_data() / "main10.mp4";
  if (!fs::exists(file)) {
    file = folder / "clip.mp4";
    if (run_command({"ffmpeg", "-hide_banner", "-h", "encoder=libx265"}).out.find("yuv420p10le") ==
        std::string::npos)
      GTEST_SKIP() << "neither main10.mp4 in FACEPIPE_TEST_DATA nor libx265 in ffmpeg";
    ffmpeg(std::string(kSource) + "-c:v libx265 -pix_fmt yuv420p10le", file);
  }
  CudaDecoderOptions options;
  options.choice = DecoderChoice::nvdec;
  const Decoded found = decode_on_cuda(file, options);
  ASSERT_NO_FATAL_FAILURE(expect_equal(found, decode_on_cpu(file)));
  EXPECT_EQ(found.name, "hevc_nvdec");
}

/// What NVDEC doesn't decode, and whether its pictures stay as they are.
struct Other {
  const char* name;
  const char* arguments;
  const char* file;
  bool kept;
};
void PrintTo(const Other& other, std::ostream* out) { *out << other.name; }

const std::vector<Other> kOthers{
    {"high10", "-c:v libx264 -pix_fmt yuv420p10le", "clip.mp4", true},
    {"chroma422", "-c:v libx264 -pix_fmt yuv422p", "clip.mp4", false},
    {"chroma444", "-c:v libx264 -pix_fmt yuv444p", "clip.mp4", false},
    {"tiny", "-vf scale=32:32 -c:v libx264 -pix_fmt yuv420p", "clip.mp4", true},
    {"many_references", "-c:v libx264 -pix_fmt yuv420p -refs 16 -bf 8", "clip.mp4", true},
    {"png", "-t 0.3 -c:v png -pix_fmt rgb24", "clip.mkv", false},
};

class WithoutNvdec : public testing::TestWithParam<Other> {
 protected:
  void SetUp() override {
    file = folder / GetParam().file;
    ffmpeg(std::string(kSource) + GetParam().arguments, file);
    options.frames_in_flight = 16;  // many_references: more than there are surfaces
  }
  TemporaryFolder folder;
  fs::path file;
  CudaDecoderOptions options;
};

TEST_P(WithoutNvdec, IsDecodedOnTheCpuAndToldSo) {
  const Decoded found = decode_on_cuda(file, options);
  EXPECT_THAT(found.notices, Contains(HasSubstr("decoded on the CPU and uploaded, because")));
  EXPECT_EQ(found.uploads.calls, found.ledger.decoded);
  EXPECT_EQ(found.ledger.lost, 0);
  EXPECT_EQ(found.name.find("nvdec"), std::string::npos);
  if (GetParam().kept) {
    ASSERT_NO_FATAL_FAILURE(expect_equal(found, decode_on_cpu(file)));
  } else {
    EXPECT_EQ(found.ledger.decoded, decode_on_cpu(file).ledger.decoded);
    EXPECT_THAT(found.notices, Contains(HasSubstr("for the device")));
  }
}

TEST_P(WithoutNvdec, IsAnErrorWhereNvdecIsAskedFor) {
  options.choice = DecoderChoice::nvdec;
  try {
    static_cast<void>(decode_on_cuda(file, options));
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_THAT(error.what(), HasSubstr("NVDEC"));
    EXPECT_THAT(error.what(), HasSubstr("--decoder"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, WithoutNvdec, testing::ValuesIn(kOthers),
                         [](const auto& test) { return std::string(test.param.name); });

// The payload of one picture that no other refers to becomes nonsense.
TEST(Nvdec, APictureThatDoesntComeIsCountedAsLost) {
  const TemporaryFolder folder;
  const fs::path file = folder / "clip.mp4";
  ffmpeg(std::string(kSource) + "-c:v libx264 -pix_fmt yuv420p -bf 2 -x264-params b-pyramid=none",
         file);
  Demuxer demuxer(file.string(), {});
  Notices notices(file.string());
  CopyCounter copies;
  CudaDecoderOptions options;
  options.choice = DecoderChoice::nvdec;
  const std::unique_ptr<Decoder> decoder =
      make_cuda_decoder(demuxer, options, keep, notices, copies);
  const Decoder::Sink drop = [](const DecodedFrame&) {};
  std::int64_t latest = 0;
  int spoilt = 0;
  while (const UniqueAVPacket packet = demuxer.read()) {
    const bool reordered = packet->pts < latest;
    latest = std::max(latest, packet->pts);
    if (reordered && latest > 10 * packet->duration && spoilt == 0) {
      check_av(av_packet_make_writable(packet.get()), ErrorKind::internal, "packet");
      std::fill(packet->data + 4, packet->data + packet->size, std::uint8_t{0xFF});
      ++spoilt;
    }
    decoder->decode(*packet, {}, drop);
  }
  decoder->flush(drop);
  ASSERT_EQ(spoilt, 1);
  EXPECT_EQ(decoder->ledger().packets, 60);
  EXPECT_EQ(decoder->ledger().lost, 1);
  EXPECT_EQ(decoder->ledger().decoded, 59);
}

TEST(Nvdec, EndsWherePicturesChange) {
  const TemporaryFolder folder;
  ffmpeg(std::string(kSource) + "-c:v libx264 -pix_fmt yuv420p", folder / "a.h264");
  ffmpeg(std::string(kSource) + "-vf scale=320:240 -c:v libx264 -pix_fmt yuv420p",
         folder / "b.h264");
  ffmpeg("-f h264 -i concat:" + (folder / "a.h264").string() + "|" + (folder / "b.h264").string() +
             " -c copy",
         folder / "both.h264");
  try {
    static_cast<void>(decode_on_cuda(folder / "both.h264", {}));
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr("640x360"));
    EXPECT_THAT(error.what(), HasSubstr("320x240"));
  }
  EXPECT_EQ(live_frames(), 0);
}

TEST(Nvdec, RefusesToTurnPixelsThatTheCpuTurns) {
  const TemporaryFolder folder;
  ffmpeg(std::string(kSource) + "-t 0.2 -c:v libx264 -pix_fmt yuv420p", folder / "clip.mp4");
  mark_turned(folder / "clip.mp4");
  const TargetChooser turn = [](const AVFrame& first, Orientation orientation) {
    PictureTarget target = keep(first, orientation);
    target.rotate = orientation;
    return target;
  };
  EXPECT_THROW(static_cast<void>(decode_on_cuda(folder / "clip.mp4", {}, turn)), Error);
  CudaDecoderOptions by_cpu;
  by_cpu.choice = DecoderChoice::cpu;
  CudaDecoderOptions by_whom_can;
  by_whom_can.stream.tags_rotation = false;
  for (const CudaDecoderOptions& options : {by_cpu, by_whom_can}) {
    const Decoded found = decode_on_cuda(folder / "clip.mp4", options, turn);
    ASSERT_FALSE(found.shots.empty());
    EXPECT_EQ(found.shots[0].size, (Size{360, 640}));
    EXPECT_TRUE(found.shots[0].orientation.upright());
  }
}

TEST(Nvdec, ShowsTheChooserWhatTheDeviceWillHold) {
  const TemporaryFolder folder;
  ffmpeg(std::string(kSource) +
             "-t 0.2 -c:v libx264 -pix_fmt yuv420p -x264-params "
             "crop-rect=6,10,14,22",
         folder / "clip.mp4");
  for (const DecoderChoice choice : {DecoderChoice::nvdec, DecoderChoice::cpu}) {
    int asked = 0;
    const TargetChooser look = [&](const AVFrame& first, Orientation orientation) {
      ++asked;
      EXPECT_EQ(first.format, AV_PIX_FMT_NV12);
      EXPECT_EQ(first.width, 640 - 6 - 14);
      EXPECT_EQ(first.height, 360 - 10 - 22);
      return keep(first, orientation);
    };
    CudaDecoderOptions options;
    options.choice = choice;
    static_cast<void>(decode_on_cuda(folder / "clip.mp4", options, look));
    EXPECT_EQ(asked, 1);
  }
}

}  // namespace
}  // namespace facepipe::test
