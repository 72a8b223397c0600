// These tests try every encoder that doctor names with every container that media_extensions()
// names. The program must refuse the pair with a clear message, or write an output that can be
// read.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/doctor/doctor.h"
#include "app/run/media_files.h"
#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "video/write/container.h"
#include "video/write/encoder.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 3;

/// Holds options that make an encoder fast, and the name of a picture that the encoder accepts.
struct Setting {
  std::vector<std::pair<std::string, std::string>> options;
  const char* input = "small.mkv";
};

Setting setting_of(const std::string& encoder) {
  static const std::map<std::string, Setting> kSettings{
      {"libx264", {{{"preset", "ultrafast"}}}},
      {"libx265", {{{"preset", "ultrafast"}}}},
      {"libsvtav1", {{{"preset", "12"}}}},
      {"libaom-av1", {{{"cpu-used", "8"}, {"usage", "realtime"}}}},
      {"libvpx", {{{"cpu-used", "8"}, {"deadline", "realtime"}}}},
      {"libvpx-vp9", {{{"cpu-used", "8"}, {"deadline", "realtime"}}}},
      {"dnxhd", {{{"profile", "dnxhr_lb"}}, "large.mkv"}}};  // needs a picture of at least 256x120
  const auto found = kSettings.find(encoder);
  return found == kSettings.end() ? Setting{} : found->second;
}

/// Holds what a test finds by decoding a file.
struct Found {
  int frames = 0;
  std::string codec;
  std::string error;
};

void count_frames(AVCodecContext& decoder, const AVPacket* packet, Found& found) {
  if (avcodec_send_packet(&decoder, packet) < 0) found.error = "a packet is not decodable";
  const video::UniqueAVFrame frame = video::new_av_frame();
  while (avcodec_receive_frame(&decoder, frame.get()) >= 0) ++found.frames;
}

Found read_back(const fs::path& file) {
  AVFormatContext* raw = nullptr;
  if (avformat_open_input(&raw, file.c_str(), nullptr, nullptr) < 0) return {0, "", "can't open"};
  const video::UniqueInputContext input(raw);
  avformat_find_stream_info(raw, nullptr);
  const int index = av_find_best_stream(raw, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (index < 0) return {0, "", "no video stream"};
  const AVCodecParameters& stream = *raw->streams[index]->codecpar;
  Found found{0, avcodec_get_name(stream.codec_id), ""};
  const AVCodec* const codec = avcodec_find_decoder(stream.codec_id);
  if (codec == nullptr) return {0, found.codec, "no decoder"};
  const video::UniqueCodecContext decoder(avcodec_alloc_context3(codec));
  avcodec_parameters_to_context(decoder.get(), &stream);
  decoder->thread_count = 1;
  if (avcodec_open2(decoder.get(), codec, nullptr) < 0) return {0, found.codec, "can't decode"};
  const video::UniqueAVPacket packet = video::new_av_packet();
  while (av_read_frame(raw, packet.get()) >= 0) {
    if (packet->stream_index == index) count_frames(*decoder, packet.get(), found);
    av_packet_unref(packet.get());
  }
  count_frames(*decoder, nullptr, found);
  return found;
}

enum class Outcome { refused, read_back, broken };

class Containers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    video::redirect_ffmpeg_log();
    folder_ = std::make_unique<test::TemporaryFolder>();
    const std::string frames = " -frames:v " + std::to_string(kFrames) + " -c:v ffv1";
    test::ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25" + frames, *folder_ / "small.mkv");
    test::ffmpeg("-f lavfi -i testsrc2=s=256x128:r=25" + frames, *folder_ / "large.mkv");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  void TearDown() override {
    for (const auto& entry : fs::directory_iterator(folder_->path()))
      if (entry.path().extension() != ".mkv" || entry.path().stem() == "out")
        fs::remove(entry.path());
  }

  /// Returns one extension of each format. Of image formats it returns every extension, because the
  /// extension determines the codec.
  static std::vector<std::string> extensions() {
    std::set<std::string> known;
    std::vector<std::string> result;
    for (const std::string_view extension : media_extensions()) {
      const std::string name = "x" + std::string(extension);
      const AVOutputFormat* const format = av_guess_format(nullptr, name.c_str(), nullptr);
      if (format == nullptr) continue;
      const std::string key = video::is_image_format(*format) ? name : format->name;
      if (known.insert(key).second) result.emplace_back(extension);
    }
    return result;
  }

  /// Writes three frames and returns the outcome. If the program writes a file, expects that the
  /// frames can be read back.
  static Outcome try_pair(const std::string& encoder, const std::string& extension) {
    SCOPED_TRACE(encoder + " in " + extension);
    const bool image = video::is_image_format(video::muxer_for("x" + extension));
    const Setting setting = setting_of(encoder);
    pipeline::JobOptions options;
    options.input.name = (*folder_ / setting.input).string();
    options.output.path = *folder_ / ((image ? "out%d" : "out") + extension);
    options.output.encoder.codec = encoder;
    options.output.encoder.options = setting.options;
    options.resources.threads = 1;
    options.output.existing = ExistingTarget::replace;
    try {
      EXPECT_EQ(test::run_fake_job(options).result.ledger.written, kFrames);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::output) << error.what();
      constexpr std::string_view kRemedy = "try the extension ";
      const std::string text = error.what();
      const std::size_t remedy = text.find(kRemedy);
      if (remedy != std::string::npos) remedies().insert(text.substr(remedy + kRemedy.size()));
      return Outcome::refused;
    }
    const AVCodec* const codec = avcodec_find_encoder_by_name(encoder.c_str());
    return check(options.output.path, codec, image);
  }

  /// Returns the extensions that errors suggested while the last encoder was tried.
  static std::set<std::string>& remedies() {
    static std::set<std::string> extensions;
    return extensions;
  }

 private:
  static Outcome check(const fs::path& output, const AVCodec* codec, bool image) {
    Found found = image ? Found{} : read_back(output);
    for (int i = 1; image && i <= kFrames; ++i) {
      const Found one = read_back(fs::path(output).replace_filename("out" + std::to_string(i) +
                                                                    output.extension().string()));
      found = {found.frames + one.frames, one.codec, found.error + one.error};
    }
    EXPECT_EQ(found.error, "");
    EXPECT_EQ(found.frames, kFrames);
    const std::string codec_name = codec != nullptr ? avcodec_get_name(codec->id) : found.codec;
    EXPECT_EQ(found.codec, codec_name);
    return found.error.empty() && found.frames == kFrames ? Outcome::read_back : Outcome::broken;
  }

  static inline std::unique_ptr<test::TemporaryFolder> folder_;
};

TEST_F(Containers, HoldEveryEncodersVideoReadablyOrRefuseIt) {
  for (const char* const encoder : encoders_named()) {
    const AVCodec* const codec = avcodec_find_encoder_by_name(encoder);
    if (codec == nullptr || video::is_nvenc(*codec))
      continue;  // NVENC writes the same codecs as x264 and x265
    remedies().clear();
    std::set<std::string> held;
    for (const std::string& extension : extensions())
      if (try_pair(encoder, extension) == Outcome::read_back) held.insert(extension);
    EXPECT_FALSE(held.empty()) << encoder;
    for (const std::string& remedy : remedies())
      EXPECT_TRUE(held.contains(remedy)) << encoder << ": a refusal names " << remedy;
  }
}

TEST_F(Containers, HoldWhatTheyGetWhereNoEncoderIsNamed) {
  std::set<std::string> where;
  for (const std::string& extension : extensions())
    if (try_pair("", extension) == Outcome::read_back) where.insert(extension);
  for (const char* const usual :
       {".3gp", ".avi", ".bmp", ".flv", ".264", ".jpeg", ".m2v", ".mkv", ".mov", ".mp4", ".mpeg",
        ".png", ".tif", ".m2ts", ".vob", ".webm"})
    EXPECT_TRUE(where.contains(usual)) << usual;
}

}  // namespace
}  // namespace facepipe::app
