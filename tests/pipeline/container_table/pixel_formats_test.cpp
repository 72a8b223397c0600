// These tests check every pixel format that FFmpeg can store without loss, in FFV1 and as raw
// samples. The output must have the same format, or a notice must report the conversion.
#include <gtest/gtest.h>

extern "C" {
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/pipeline/container_table/jobs.h"
#include "tests/support/all_pictures.h"
#include "tests/support/clips.h"
#include "tests/support/picture_hash.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg_compat.h"
#include "video/read/cpu_decoder.h"
#include "video/read/demuxer.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kGroup = 20;  // number of formats for which one run of ffmpeg makes clips
constexpr int kFrames = 2;

struct Coding {
  const char* name;
  const char* codec;
  const char* container;
};
constexpr Coding kFfv1{"Ffv1", "ffv1", ".mkv"};
constexpr Coding kRaw{"Raw", "rawvideo", ".nut"};

/// Returns whether ffmpeg can make pictures of this format, and can read them from a file.
bool is_made(AVPixelFormat format, const Coding& coding) {
  const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
  constexpr std::uint64_t kNotConverted = AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER |
                                          AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_FLOAT |
                                          AV_PIX_FMT_FLAG_BITSTREAM;
  if ((d.flags & kNotConverted) != 0) return false;
  if (sws_isSupportedOutput(format) == 0 || sws_isSupportedInput(format) == 0) return false;
  if (std::string_view(coding.codec) == "ffv1") return true;
  const bool has_tag = avcodec_pix_fmt_to_codec_tag(format) != 0;
  return has_tag && !std::string_view(d.name).starts_with("yuvj");
}

std::vector<AVPixelFormat> formats_of(const Coding& coding) {
  std::vector<AVPixelFormat> result;
  const AVCodec* const codec = avcodec_find_encoder_by_name(coding.codec);
  const std::span<const AVPixelFormat> taken = video::compat::pixel_formats(*codec);
  for (const AVPixFmtDescriptor* d = av_pix_fmt_desc_next(nullptr); d != nullptr;
       d = av_pix_fmt_desc_next(d)) {
    const AVPixelFormat format = av_pix_fmt_desc_get_id(d);
    const bool is_taken = taken.empty() || std::ranges::find(taken, format) != taken.end();
    if (is_taken && is_made(format, coding)) result.push_back(format);
  }
  return result;
}

/// Describes a group of the formats that a coding can store. One test checks one group.
struct Group {
  Coding coding;
  std::size_t first = 0;
};

std::vector<Group> groups() {
  std::vector<Group> result;
  for (const Coding& coding : {kFfv1, kRaw})
    for (std::size_t first = 0; first < formats_of(coding).size(); first += kGroup)
      result.push_back({coding, first});
  return result;
}

void PrintTo(const Group& group, std::ostream* out) { *out << group.coding.name << group.first; }

struct Pictures {
  AVPixelFormat format = AV_PIX_FMT_NONE;
  std::vector<std::size_t> hashes;
};

Pictures pictures_of(const fs::path& file) {
  video::Notices notices(file.string());
  video::Demuxer demuxer(file.string(), {});
  video::DecoderOptions options;
  options.threads = 1;
  const std::unique_ptr<video::Decoder> decoder =
      video::make_cpu_decoder(demuxer, options, notices);
  Pictures pictures;
  all_pictures(demuxer, *decoder, [&](const video::DecodedPicture& decoded) {
    pictures.format = static_cast<AVPixelFormat>(decoded.picture->format);
    pictures.hashes.push_back(hash_of(*decoded.picture));
  });
  return pictures;
}

/// Returns whether two formats store the same samples, possibly in another layout. A grey sample
/// can also be stored as three equal samples.
bool same_samples(AVPixelFormat a, AVPixelFormat b) {
  const AVPixFmtDescriptor& first = *av_pix_fmt_desc_get(a);
  const AVPixFmtDescriptor& second = *av_pix_fmt_desc_get(b);
  constexpr std::uint64_t kKind = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_ALPHA;
  return first.nb_components == second.nb_components &&
         first.comp[0].depth == second.comp[0].depth &&
         first.log2_chroma_w == second.log2_chroma_w &&
         first.log2_chroma_h == second.log2_chroma_h &&
         (first.flags & kKind) == (second.flags & kKind);
}

/// Returns whether a notice says "pictures converted from A to B", where B stores the same samples
/// as `to`.
bool has_notice(const std::vector<std::string>& notices, AVPixelFormat from, AVPixelFormat to) {
  const std::string begin =
      std::string("pictures converted from ") + av_get_pix_fmt_name(from) + " to ";
  return std::ranges::any_of(notices, [&](const std::string& notice) {
    if (!notice.starts_with(begin)) return false;
    const AVPixelFormat told = av_get_pix_fmt(notice.substr(begin.size()).c_str());
    return told != AV_PIX_FMT_NONE && same_samples(told, to);
  });
}

/// Returns whether facepipe changes pictures of this format a little. Formats with fewer than 8
/// bits are processed in 8 bits, and dithered when they are written. XYZ is processed in RGB.
bool is_approximated(AVPixelFormat format) {
  const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
  return d.comp[0].depth < 8 || std::string_view(d.name).starts_with("xyz");
}

class PixelFormats : public testing::TestWithParam<Group> {
 protected:
  void SetUp() override {
    video::redirect_ffmpeg_log();
    const std::vector<AVPixelFormat> all = formats_of(GetParam().coding);
    const std::size_t end = std::min(all.size(), GetParam().first + kGroup);
    formats_.assign(all.begin() + static_cast<std::ptrdiff_t>(GetParam().first),
                    all.begin() + static_cast<std::ptrdiff_t>(end));
    // ffmpeg() itself appends the last output's name to these arguments.
    std::string arguments = "-f lavfi -i testsrc2=s=48x32:r=5 ";
    for (const AVPixelFormat format : formats_) {
      const bool last = format == formats_.back();
      arguments += "-map 0 -frames:v " + std::to_string(kFrames) + " -threads 1 -c:v " +
                   GetParam().coding.codec + " -pix_fmt " + av_get_pix_fmt_name(format) + " " +
                   (last ? "" : clip_of(format).string() + " ");
    }
    ffmpeg(arguments, clip_of(formats_.back()));
  }

  [[nodiscard]] fs::path clip_of(AVPixelFormat format) const {
    return folder_ / (av_get_pix_fmt_name(format) + std::string(GetParam().coding.container));
  }

  JobRun work(AVPixelFormat format, bool hide) {
    pipeline::JobOptions options = plain_job(
        clip_of(format), folder_ / ("out" + std::string(GetParam().coding.container)), hide);
    options.output.encoder.codec = GetParam().coding.codec;
    return run_fake_job(options);
  }

  TemporaryFolder folder_;
  std::vector<AVPixelFormat> formats_;
};

TEST_P(PixelFormats, StayOrTheConversionIsTold) {
  for (const AVPixelFormat format : formats_) {
    const Pictures before = pictures_of(clip_of(format));
    for (const bool hide : {false, true}) {
      SCOPED_TRACE(av_get_pix_fmt_name(format) + std::string(hide ? ", hidden" : ", drawn"));
      const JobRun run = work(format, hide);
      EXPECT_EQ(run.result.ledger.written, kFrames);
      const Pictures after =
          pictures_of(folder_ / ("out" + std::string(GetParam().coding.container)));
      ASSERT_EQ(after.hashes.size(), before.hashes.size());
      const std::string now = av_get_pix_fmt_name(after.format);
      if (after.format != before.format) {
        EXPECT_TRUE(same_samples(after.format, before.format) ||
                    has_notice(run.result.notices, before.format, after.format))
            << now << ", told: " << testing::PrintToString(run.result.notices);
      } else if (!is_approximated(before.format)) {
        EXPECT_EQ(after.hashes == before.hashes, !hide) << "other samples";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PixelFormats, testing::ValuesIn(groups()),
                         [](const testing::TestParamInfo<Group>& group) {
                           return group.param.coding.name + std::to_string(group.param.first);
                         });

}  // namespace
}  // namespace facepipe::test
