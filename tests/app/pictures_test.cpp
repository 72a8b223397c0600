// These tests run the real program on still images, and on pictures that are partly transparent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/picture_files.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Pictures : public testing::Test {
 protected:
  /// Runs the program with the engine that starts fastest, because only formats are tested.
  static CommandResult facepipe(const Arguments& arguments) {
    return run_program(joined(arguments, {"--overwrite", "--detect-size", "64x64", "--engine",
                                          "opencv", "--precision", "f32"}));
  }
  /// Processes a picture without drawing. Returns what the program wrote to stderr.
  std::string run(const fs::path& input, const fs::path& output) {
    const CommandResult result = facepipe({"run", input, "-o", output, "--draw", "none"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  }
  /// Converts a file's picture with ffmpeg's `filters`. Returns its pixels as raw bytes.
  std::string pixels(const fs::path& picture, const std::string& filters) {
    ffmpeg("-i " + picture.string() + " -vf " + filters + " -f rawvideo", dir_ / "raw");
    return read_file(dir_ / "raw");
  }
  /// Makes a lossless picture of coloured noise.
  fs::path picture(const std::string& name, const std::string& more = "format=rgb24") {
    ffmpeg("-f lavfi -i testsrc2=s=64x48,noise=alls=40," + more + " -frames:v 1", dir_ / name);
    return dir_ / name;
  }

  TemporaryFolder dir_;
};

TEST_F(Pictures, A2ATurnedPngIsSearchedAndWrittenUpright) {
  const std::string plain = read_file(picture("plain.png"));
  const std::string input = dir_.write("turned.png", with_png_chunk(plain, "eXIf", exif(6)));
  EXPECT_THAT(run(input, dir_ / "out.png"), HasSubstr("rotation applied to the pixels"));
  EXPECT_EQ(pixels(dir_ / "out.png", "format=rgb24"),
            pixels(dir_ / "plain.png", "transpose=clock,format=rgb24"));
  EXPECT_THAT(read_file(dir_ / "out.png"), Not(HasSubstr("eXIf")));

  const CommandResult detected = facepipe({"detect", input, "--detections", dir_ / "d.jsonl"});
  EXPECT_EQ(detected.exit_code, 0) << detected.err;
  const auto record = nlohmann::json::parse(read_file(dir_ / "d.jsonl"));
  EXPECT_EQ(record.at("width"), 48);
  EXPECT_EQ(record.at("height"), 64);
}

/// Returns the bytes of an uncompressed TIFF with 8 bits for each of red, green and blue.
std::string tiff_of(const std::string& rgb, int width, int height, int orientation) {
  const std::vector<std::pair<int, int>> entries{{256, width},       {257, height}, {258, 8},
                                                 {259, 1},           {262, 2},      {273, 150},
                                                 {274, orientation}, {277, 3},      {278, height}};
  std::string file = std::string("II*\0", 4) + little(8, 4) + tiff_directory(entries, 0);
  file.resize(150);
  return file + rgb;
}

TEST_F(Pictures, A2ATurnedTiffIsWrittenUpright) {
  const std::string rgb = pixels(picture("plain.png"), "format=rgb24");
  const std::string input = dir_.write("turned.tiff", tiff_of(rgb, 64, 48, 8));
  EXPECT_THAT(run(input, dir_ / "out.tiff"), HasSubstr("rotation applied to the pixels"));
  EXPECT_EQ(pixels(dir_ / "out.tiff", "format=rgb24"),
            pixels(dir_ / "plain.png", "transpose=cclock,format=rgb24"));
}

// Adds the property "irot" to the bytes of an AVIF file that FFmpeg's muxer has written. This
// inserts a box and one more byte before the picture's data.
std::string turned_avif(std::string file, unsigned quarters) {
  const std::string property = box("irot", big(quarters, 1));
  const auto at = [&](const char* type) { return file.find(type) - 4; };
  const auto number = [&](std::size_t place) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8U | static_cast<std::uint8_t>(file[place + i]);
    return value;
  };
  const auto grow = [&](std::size_t place, std::size_t by) {
    file.replace(place, 4, big(number(place) + by, 4));
  };
  int properties = 1;  // index of the new property
  for (std::size_t next = at("ipco") + 8; next < at("ipma"); next += number(next)) ++properties;
  const std::size_t more = property.size() + 1;
  // The boxes that contain the property grow, and the data moves. iloc ends with the data's offset
  // and length, 4 bytes each.
  grow(at("meta"), more);
  grow(at("iprp"), more);
  const std::size_t iloc = at("iloc");
  grow(iloc + number(iloc) - 8, more);
  const std::size_t ipma = at("ipma");
  const std::size_t behind = ipma + number(ipma);
  const std::size_t count = ipma + 8 + 4 + 4 + 2;  // place of the property count of the first and
                                                   // only item
  file[count] = static_cast<char>(file[count] + 1);
  grow(ipma, 1);
  file.insert(behind, 1, static_cast<char>(properties));
  grow(at("ipco"), property.size());
  return file.insert(at("ipma"), property);
}

TEST_F(Pictures, A2ATurnedAvifIsWrittenUprightAsAvif) {
  const fs::path plain =
      picture("plain.avif", "format=yuv420p -c:v libaom-av1 -cpu-used 8 -still-picture 1");
  const fs::path turned = dir_.write("in/turned.avif", turned_avif(read_file(plain), 3));
  ASSERT_EQ(pixels(turned, "format=gray"), pixels(plain, "format=gray"));
  const CommandResult result = facepipe({"run", turned, "-o", dir_ / "out/"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("rotation applied to the pixels"));
  ASSERT_TRUE(fs::exists(dir_ / "out/turned_faces.avif")) << "not under the input's name";
  const std::string upright = pixels(plain, "transpose=clock,format=gray");
  const std::string found = pixels(dir_ / "out/turned_faces.avif", "format=gray");
  ASSERT_EQ(found.size(), upright.size());
  double apart = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    apart += std::abs(static_cast<std::uint8_t>(found[i]) - static_cast<std::uint8_t>(upright[i]));
  EXPECT_LT(apart / static_cast<double>(found.size()), 10);
}

/// These filters make a picture whose alpha is its luma.
constexpr const char* kLumaInAlpha =
    "split[a][b],[b]format=gray[m],[a]format=rgb24[c],[c][m]alphamerge,";

bool is_opaque(const std::string& alpha) {
  return !alpha.empty() && std::ranges::all_of(alpha, [](char c) { return c == '\xFF'; });
}

TEST_F(Pictures, A3NothingIsLeftInTheAlphaOfWhatIsHidden) {
  struct Case {
    const char* format;
    const char* file;
    Arguments encoding;
  };
  for (const Case& c :
       std::vector<Case>{{"rgba", "rgba.png", {}},
                         {"ya8", "ya8.png", {}},
                         {"rgba64be", "rgba64.png", {}},
                         {"ya16be", "ya16.png", {}},
                         {"rgba", "rgba.tiff", {}},
                         {"yuva420p -c:v libwebp", "yuva.webp", {}},
                         {"bgra -c:v libwebp -lossless 1", "bgra.webp", {}},
                         {"yuva444p10 -c:v prores_ks", "a.mov", {"--codec", "prores_ks"}},
                         {"argb -c:v qtrle", "q.mov", {"--codec", "qtrle"}},
                         {"gbrap12 -c:v ffv1", "f.mkv", {"--codec", "ffv1"}}}) {
    SCOPED_TRACE(c.file);
    const fs::path input = picture(c.file, kLumaInAlpha + ("format=" + std::string(c.format)));
    const fs::path output = dir_ / ("hidden-" + std::string(c.file));
    ASSERT_FALSE(is_opaque(pixels(input, "alphaextract,format=gray")));
    const CommandResult result =
        facepipe(joined({"hide", input, "-o", output, "--hide-all", "0-"}, c.encoding));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(is_opaque(pixels(output, "format=rgba,alphaextract,format=gray")));
  }
}

TEST_F(Pictures, A3OnlyWhatIsHiddenBecomesOpaque) {
  const fs::path input = picture("rgba.png", std::string(kLumaInAlpha) + "format=rgba");
  const CommandResult result =
      facepipe({"hide", input, "-o", dir_ / "hidden.png", "--region", "part=16,8,32,24"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(is_opaque(pixels(dir_ / "hidden.png", "alphaextract,crop=32:24:16:8")));
  const char* const kBeside = "alphaextract,crop=64:8:0:0";
  const std::string before = pixels(input, kBeside);
  const std::string after = pixels(dir_ / "hidden.png", kBeside);
  ASSERT_EQ(after.size(), before.size());
  // FFmpeg rounds alpha when it converts RGBA to planes.
  for (std::size_t i = 0; i < after.size(); ++i)
    ASSERT_NEAR(static_cast<std::uint8_t>(after[i]), static_cast<std::uint8_t>(before[i]), 1);
}

TEST_F(Pictures, A3TransparencyThatTheOutputCantHoldIsTold) {
  const fs::path input = picture("rgba.png", std::string(kLumaInAlpha) + "format=rgba");
  EXPECT_THAT(run(input, dir_ / "out.jpg"), HasSubstr("transparency dropped, which yuvj4"));
  EXPECT_THAT(run(input, dir_ / "out.png"), Not(HasSubstr("transparency")));
  expect_refused(facepipe({"run", input, "-o", dir_ / "strict.jpg", "--strict", "-q"}), 5,
                 "--strict: transparency dropped");
}

TEST_F(Pictures, B12TheTransparencyOfWebmIsKeptOrTold) {
  const std::string alpha = kLumaInAlpha + std::string("format=yuva420p");
  for (const std::string codec : {"libvpx", "libvpx-vp9"}) {
    SCOPED_TRACE(codec);
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=10:d=0.3 -vf " + alpha + " -auto-alt-ref 0 -c:v " +
               codec + " -b:v 2M",
           dir_ / "in.webm");
    const CommandResult kept = facepipe(
        {"run", dir_ / "in.webm", "-o", dir_ / "out.webm", "--codec", codec, "--draw", "none"});
    EXPECT_EQ(kept.exit_code, 0) << kept.err;
    const auto alpha_of = [&](const char* name) {
      ffmpeg("-c:v " + codec + " -i " + (dir_ / name).string() +
                 " -vf alphaextract,scale=1:1:flags=area,format=gray -f rawvideo",
             dir_ / "raw");
      return read_file(dir_ / "raw");
    };
    const std::string before = alpha_of("in.webm");
    const std::string after = alpha_of("out.webm");
    ASSERT_EQ(after.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(static_cast<std::uint8_t>(after[i]), static_cast<std::uint8_t>(before[i]), 4);

    const CommandResult hidden = facepipe({"hide", dir_ / "in.webm", "-o", dir_ / "hidden.webm",
                                           "--codec", codec, "--hide-all", "0-"});
    EXPECT_EQ(hidden.exit_code, 0) << hidden.err;
    for (const char c : alpha_of("hidden.webm")) EXPECT_GE(static_cast<std::uint8_t>(c), 253);

    EXPECT_THAT(run(dir_ / "in.webm", dir_ / "out.mkv"), HasSubstr("transparency dropped"));
    const auto video = streams_of(probe(dir_ / "out.mkv"), "video").at(0);
    EXPECT_FALSE(video.value("tags", nlohmann::json::object()).contains("alpha_mode"));
  }
}

TEST_F(Pictures, B16FurtherPicturesOfAFileAreTold) {
  // Behind a long comment, FFmpeg doesn't notice the animation.
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=10:d=0.2,format=rgb24 -c:v apng -f apng", dir_ / "a.png");
  const std::string animated =
      with_png_chunk(read_file(dir_ / "a.png"), "tEXt", "a" + std::string(5000, '\0'));
  const fs::path jpeg = picture("one.jpg", "format=yuvj420p");
  const std::string pages = dir_.write("two.png", animated);
  const std::string two = dir_.write("two.jpg", read_file(jpeg) + read_file(jpeg));
  const std::string motion =
      dir_.write("motion.jpg", read_file(jpeg) + box("ftyp", "mp42") + box("mdat", "x"));
  for (const auto& [input, told] : {std::pair{pages, "second picture dropped"},
                                    {two, "second picture dropped"},
                                    {motion, "video after the picture dropped"}}) {
    SCOPED_TRACE(input);
    const fs::path output = dir_ / ("out" + fs::path(input).extension().string());
    const CommandResult hidden = facepipe({"hide", input, "-o", output});
    EXPECT_EQ(hidden.exit_code, 0) << hidden.err;
    EXPECT_THAT(hidden.err, HasSubstr(told));
    EXPECT_THAT(read_file(output), Not(testing::AnyOf(HasSubstr("ftyp"), HasSubstr("fdAT"))));
    expect_refused(facepipe({"run", input, "-o", dir_ / "strict.png", "--strict"}), 5, told);
  }
}

TEST_F(Pictures, B16AnAnimatedWebpIsRefusedByItsName) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=10:d=0.3 -c:v libwebp_anim -f webp", dir_ / "in.webp");
  expect_refused(facepipe({"run", dir_ / "in.webp", "-o", dir_ / "out.png"}), 3, "animated WebP");
}

TEST_F(Pictures, B15AnotherLayerOfHevcIsTold) {
  ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=0.2 -c:v libx265 -x265-params log-level=none",
         dir_ / "one.ts");
  EXPECT_THAT(run(dir_ / "one.ts", dir_ / "out.mkv"), Not(HasSubstr("layer")));
  // The test replaces the encoder's SEI unit before the first picture by a slice of the second
  // layer.
  std::string bytes = read_file(dir_ / "one.ts");
  const std::string remark("\0\0\1\x4E\x01", 5);
  const std::size_t at = bytes.find(remark);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, remark.size(), std::string("\0\0\1\x02\x09", 5));
  EXPECT_THAT(run(dir_.write("two.ts", bytes), dir_ / "out.mkv"),
              HasSubstr("another layer of the HEVC stream dropped"));
  EXPECT_EQ(video_stamps(dir_ / "out.mkv").size(), 2U);
}

}  // namespace
}  // namespace facepipe::test
