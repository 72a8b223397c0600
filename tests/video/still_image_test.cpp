// These tests check that still images are opened without being decoded, and are decoded without
// threads that would wait for each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "video/read/cpu_decoder.h"
#include "video/read/decoder.h"
#include "video/read/first_picture.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

class StillImage : public testing::Test {
 protected:
  /// Returns the bytes of a PNG file of test pictures.
  [[nodiscard]] std::string png(const std::string& pixels, const char* size = "36x24") const {
    const fs::path file = folder_ / "made.png";
    ffmpeg("-f lavfi -i testsrc2=s=" + std::string(size) + ",format=" + pixels + " -frames:v 1",
           file);
    return read_file(file);
  }
  [[nodiscard]] std::string written(const std::string& bytes) const {
    return folder_.write("picture.png", bytes);
  }

  TemporaryFolder folder_;
};

/// Keeps the log, including FFmpeg's messages, while the object exists.
class DebugLog {
 public:
  DebugLog() : before_(spdlog::default_logger()) {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
    auto logger = std::make_shared<spdlog::logger>("test", std::move(sink));
    logger->set_level(spdlog::level::debug);
    spdlog::set_default_logger(std::move(logger));
  }
  ~DebugLog() { spdlog::set_default_logger(before_); }
  DebugLog(const DebugLog&) = delete;
  DebugLog& operator=(const DebugLog&) = delete;

  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::shared_ptr<spdlog::logger> before_;
};

Size size_of(const video::Demuxer& demuxer) {
  return {demuxer.video().codecpar->width, demuxer.video().codecpar->height};
}

TEST_F(StillImage, PngsHeaderTellsTheSizeOfAllKinds) {
  for (const char* const pixels :
       {"rgb24", "rgba", "rgb48be", "gray", "gray16be", "ya8", "pal8", "monob"}) {
    SCOPED_TRACE(pixels);
    const std::string bytes = png(pixels);
    video::Demuxer demuxer(written(bytes), {});
    EXPECT_TRUE(demuxer.is_one_picture());
    EXPECT_EQ(size_of(demuxer), (Size{36, 24}));
    const video::UniqueAVPacket packet = demuxer.read();
    ASSERT_NE(packet, nullptr);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(packet->data),
                          static_cast<std::size_t>(packet->size)),
              bytes);
    EXPECT_EQ(demuxer.read(), nullptr);
  }
}

TEST_F(StillImage, PngIsNotDecodedToKnowItsSize) {
  std::string bytes = png("rgb24", "320x240");
  const std::size_t samples = bytes.find("IDAT") + 4;
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(samples), 20, '\xff');
  const std::string damaged = written(bytes);
  const DebugLog log;
  video::Demuxer demuxer(damaged, {});
  EXPECT_EQ(size_of(demuxer), (Size{320, 240}));
  EXPECT_EQ(log.text(), "");
  video::Notices notices(damaged);
  const std::unique_ptr<video::Decoder> decoder = video::make_cpu_decoder(demuxer, {}, notices);
  decoder->send(video::read_packet(demuxer));
  decoder->finish();
  EXPECT_FALSE(decoder->next());
  EXPECT_THAT(log.text(), testing::HasSubstr("inflate"));  // a message of the decoder
}

TEST_F(StillImage, PngOfRefusedSizeIsRefused) {
  const std::string file = written(png("rgb24", "320x240"));
  const auto open = [&](std::int64_t max_pixels) {
    video::Demuxer(file, {}, video::References::refuse, max_pixels);
  };
  EXPECT_NO_THROW(open(320 * 240));
  expect_error(ErrorKind::input, "320x240", [&] { open(320 * 240 - 1); });
}

TEST_F(StillImage, PngWithoutSizeIsRefused) {
  std::string bytes = png("rgb24");
  std::fill_n(bytes.begin() + 16, 4, '\0');
  expect_error(ErrorKind::input, "picture.png", [&] { video::Demuxer(written(bytes), {}); });
  expect_error(ErrorKind::input, "picture.png",
               [&] { video::Demuxer(written(bytes.substr(0, 20)), {}); });
}

std::ptrdiff_t threads() {
  return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
}

TEST_F(StillImage, HasNoThreadsForOtherPictures) {
  const std::string image = written(png("rgb24"));
  const fs::path clip = folder_ / "clip.avi";
  ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 2 -c:v png", clip);
  video::DecoderOptions options;
  options.threads = 6;
  const auto started = [&](const std::string& input) {
    const video::Demuxer demuxer(input, {});
    video::Notices notices(input);
    const std::ptrdiff_t before = threads();
    const std::unique_ptr<video::Decoder> decoder =
        video::make_cpu_decoder(demuxer, options, notices);
    return threads() - before;
  };
  EXPECT_EQ(started(image), 0);
  EXPECT_EQ(started(clip), 6);
}

}  // namespace
}  // namespace facepipe::test
