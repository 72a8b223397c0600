// These tests check what files contain besides their pictures. The tests make the bytes of the
// files. Some files have wrong numbers on purpose.
#include "video/read/picture_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/support/picture_files.h"
#include "video/read/exif.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

video::Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
video::PictureFile read(const std::string& file) {
  return video::read_picture_file(bytes_of(file));
}

/// Holds a picture of 2x3 letters, row by row, with a line feed behind each row. The letters show
/// how the picture was turned.
using Letters = std::string;
const Letters kStored = "ab\ncd\nef\n";

Letters mirrored(const Letters& picture) {
  Letters result;
  for (std::size_t begin = 0; begin < picture.size();) {
    const std::size_t end = picture.find('\n', begin);
    Letters row = picture.substr(begin, end - begin);
    result += Letters(row.rbegin(), row.rend()) + '\n';
    begin = end + 1;
  }
  return result;
}
Letters upside_down(const Letters& picture) {
  Letters result;
  for (std::size_t begin = 0; begin < picture.size();) {
    const std::size_t end = picture.find('\n', begin);
    result.insert(0, picture.substr(begin, end + 1 - begin));
    begin = end + 1;
  }
  return result;
}
/// Turns a picture counterclockwise: its last column becomes the first row.
Letters counterclockwise(const Letters& picture) {
  const std::size_t width = picture.find('\n');
  Letters result;
  for (std::size_t column = width; column-- > 0;) {
    for (std::size_t at = column; at < picture.size(); at += width + 1) result += picture[at];
    result += '\n';
  }
  return result;
}
/// Turns a picture as core/geometry.h defines: mirrors it first, and then turns it clockwise.
Letters upright(const Orientation& orientation) {
  Letters picture = orientation.mirrored ? mirrored(kStored) : kStored;
  for (int i = 0; i < (4 - orientation.quarter_turns) % 4; ++i) picture = counterclockwise(picture);
  return picture;
}

std::string png_with(const std::string& chunks) {
  return std::string("\x89PNG\r\n\x1a\n") + png_chunk("IHDR", std::string(13, '\1')) + chunks;
}
std::string jpeg_segment(char marker, const std::string& content) {
  return std::string("\xFF") + marker + big(content.size() + 2, 2) + content;
}
/// Returns a JPEG file with these segments, and with scans that contain stuffed bytes and restart
/// markers.
std::string jpeg_with(const std::string& segments) {
  return "\xFF\xD8" + jpeg_segment('\xE0', "JFIF") + segments +
         jpeg_segment('\xDA', std::string(6, '\0')) + std::string("\x12\xFF\0\x34\xFF\xD0\x56", 7) +
         jpeg_segment('\xC4', "table") + jpeg_segment('\xDA', std::string(6, '\0')) +
         std::string("\x77\xFF\0", 3) + "\xFF\xD9";
}
std::string webp_with(const std::string& chunks) {
  return "RIFF" + little(chunks.size() + 4, 4) + "WEBP" + chunks;
}
std::string webp_chunk(const std::string& type, const std::string& content) {
  return type + little(content.size(), 4) + content + std::string(content.size() % 2, '\0');
}
std::string exif_segment(int orientation) {
  return jpeg_segment('\xE1', std::string("Exif\0\0", 6) + exif(orientation));
}

/// For each tag, the letters show where the first row and the first column of the stored picture
/// are shown (TIFF 6.0, Orientation).
TEST(PictureFile, A2OrientationOfEveryFormatIsRead) {
  const std::array<Letters, 9> shown{
      "",           "ab\ncd\nef\n", "ba\ndc\nfe\n", "fe\ndc\nba\n", "ef\ncd\nab\n",
      "ace\nbdf\n", "eca\nfdb\n",   "fdb\neca\n",   "bdf\nace\n"};
  for (int tag = 1; tag <= 8; ++tag)
    for (const std::string& file :
         {exif(tag), png_with(png_chunk("eXIf", exif(tag))),
          png_with(png_chunk("IDAT", "x") + png_chunk("eXIf", exif(tag))),
          jpeg_with(exif_segment(tag)),
          webp_with(webp_chunk("VP8X", "x") + webp_chunk("EXIF", exif(tag))),
          webp_with(webp_chunk("EXIF", std::string("Exif\0\0", 6) + exif(tag)))}) {
      SCOPED_TRACE(file.substr(0, 12) + std::to_string(tag));
      const video::PictureFile found = read(file);
      ASSERT_TRUE(found.orientation);
      EXPECT_EQ(upright(*found.orientation), shown[static_cast<std::size_t>(tag)]);
      EXPECT_EQ(found.more_pictures, 0);
      EXPECT_THAT(video::left_out(found), IsEmpty());
    }
}

TEST(PictureFile, A2OrientationIsReadInBothByteOrdersAndWidths) {
  const std::string motorola = "MM" + big(42, 2) + big(8, 4) + big(1, 2) + big(274, 2) + big(3, 2) +
                               big(1, 4) + big(6, 2) + big(0, 2) + big(0, 4);
  EXPECT_EQ(read(motorola).orientation, (Orientation{1, false}));
  const std::string wide = "MM" + big(42, 2) + big(8, 4) + big(1, 2) + big(274, 2) + big(4, 2) +
                           big(1, 4) + big(8, 4) + big(0, 4);
  EXPECT_EQ(read(wide).orientation, (Orientation{3, false}));
  EXPECT_EQ(read(exif(0)).orientation, std::nullopt);
  EXPECT_EQ(read(exif(9)).orientation, std::nullopt);
  EXPECT_EQ(read(png_with(png_chunk("eXIf", "nothing"))).orientation, std::nullopt);
}

TEST(PictureFile, A2HeifIsTurnedAndMirroredInTheOrderOfItsProperties) {
  struct Step {
    std::string property;
    Letters (*turned)(const Letters&);
  };
  const auto irot = [](unsigned quarters) { return box("irot", big(quarters, 1)); };
  const std::vector<Step> steps{
      {irot(0), [](const Letters& picture) { return picture; }},
      {irot(1), counterclockwise},
      {irot(2), [](const Letters& picture) { return counterclockwise(counterclockwise(picture)); }},
      {irot(3),
       [](const Letters& picture) {
         return counterclockwise(counterclockwise(counterclockwise(picture)));
       }},
      {box("imir", big(0, 1)), upside_down},
      {box("imir", big(1, 1)), mirrored}};
  for (const Step& first : steps)
    for (const Step& second : steps) {
      const std::string file =
          heif({{1, "av01", {2, 3}}}, {box("ispe", "x"), first.property, second.property});
      const std::optional<video::PictureFile> found = video::read_heif(bytes_of(file));
      ASSERT_TRUE(found && found->orientation);
      EXPECT_EQ(upright(*found->orientation), second.turned(first.turned(kStored)));
      const std::string other_order =
          heif({{1, "av01", {3, 2}}}, {box("ispe", "x"), second.property, first.property});
      EXPECT_EQ(video::read_heif(bytes_of(other_order)), found);
    }
  const std::string of_another = heif({{1}, {2, "av01", {1}}}, {irot(1)});
  EXPECT_EQ(video::read_heif(bytes_of(of_another))->orientation, Orientation{});
}

TEST(PictureFile, B16CountsFurtherPicturesButNoThumbnails) {
  const std::string three = std::string("II*\0", 4) + little(8, 4) +
                            tiff_directory({{256, 1}}, 26) + tiff_directory({{254, 1}}, 44) +
                            tiff_directory({{254, 2}}, 62) + tiff_directory({{254, 0}}, 0);
  EXPECT_EQ(read(three).more_pictures, 2);

  const std::string frame = png_chunk("fcTL", std::string(26, '\0'));
  const std::string data = png_chunk("IDAT", "x");
  const std::string more = frame + png_chunk("fdAT", "0000x");
  EXPECT_EQ(read(png_with(png_chunk("acTL", "x") + frame + data + more + more)).more_pictures, 2);
  EXPECT_EQ(read(png_with(png_chunk("acTL", "x") + data + more)).more_pictures, 1);
  EXPECT_EQ(read(png_with(data)).more_pictures, 0);

  EXPECT_EQ(read(webp_with(webp_chunk("ANMF", "one") + webp_chunk("ANMF", "two"))).more_pictures,
            1);
  EXPECT_EQ(read(jpeg_with("") + jpeg_with("") + jpeg_with("")).more_pictures, 2);
}

/// Returns an index (CIPA DC-007) of pictures with these types.
std::string index_segment(const std::vector<unsigned>& types) {
  const auto bytes = static_cast<unsigned>(16 * types.size());
  std::string index = std::string("II*\0", 4) + little(8, 4) + little(1, 2) + little(0xB002, 2) +
                      little(7, 2) + little(bytes, 4) + little(26, 4) + little(0, 4);
  for (const unsigned type : types) index += little(type, 4) + std::string(12, '\0');
  return jpeg_segment('\xE2', std::string("MPF\0", 4) + index);
}

TEST(PictureFile, B16AnIndexOfPicturesTellsThumbnailsApart) {
  constexpr unsigned kPrimary = 0x030000;
  constexpr unsigned kThumbnail = 0x010002;
  constexpr unsigned kDisparity = 0x020002;
  EXPECT_EQ(read(jpeg_with(index_segment({kPrimary, kThumbnail})) + jpeg_with("")).more_pictures,
            0);
  EXPECT_EQ(read(jpeg_with(index_segment({kPrimary, kDisparity})) + jpeg_with("")).more_pictures,
            1);
  EXPECT_EQ(read(jpeg_with(index_segment({kPrimary, 0, 0})) + jpeg_with("")).more_pictures, 2);
}

TEST(PictureFile, B15TellsOfAVideoBehindThePicture) {
  const std::string video = box("ftyp", "mp42") + box("mdat", "x");
  for (const std::string& file :
       {jpeg_with("") + video, jpeg_with("") + "MotionPhoto_Data" + video,
        jpeg_with("") + jpeg_with("") + video, png_with(png_chunk("IEND", "")) + video}) {
    EXPECT_TRUE(read(file).video);
    EXPECT_THAT(video::left_out(read(file)),
                testing::Contains(HasSubstr("video after the picture")));
  }
  EXPECT_FALSE(read(jpeg_with(jpeg_segment('\xE1', video))).video);
  EXPECT_TRUE(video::read_heif(bytes_of(heif({{1}}, {}) + box("mpvd", video)))->video);
}

TEST(PictureFile, B13HeifTellsWhatBelongsToAPicture) {
  const std::string alpha =
      box("auxC", std::string(4, '\0') + "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha");
  const std::string depth =
      box("auxC", std::string(4, '\0') + "urn:mpeg:mpegB:cicp:systems:auxiliary:depth");
  video::PictureFile found = *video::read_heif(bytes_of(
      heif({{1}, {2, "av01", {1}}, {3, "av01", {2}}, {4}, {5}, {6, "Exif"}, {7, "av01", {}, true}},
           {alpha, depth}, {{"auxl", 2, 1}, {"auxl", 3, 1}, {"thmb", 4, 1}})));
  EXPECT_TRUE(found.transparency);
  EXPECT_TRUE(found.auxiliary);
  EXPECT_FALSE(found.tiles);
  EXPECT_EQ(found.more_pictures, 1);
  EXPECT_THAT(video::left_out(found), ElementsAre(HasSubstr("second picture"),
                                                  HasSubstr("transparency"), HasSubstr("depth")));
  found = *video::read_heif(
      bytes_of(heif({{9, "grid"}, {1}, {2}}, {}, {{"dimg", 9, 1}, {"dimg", 9, 2}})));
  EXPECT_TRUE(found.tiles);
  EXPECT_EQ(found.more_pictures, 0);
  EXPECT_FALSE(video::read_heif(bytes_of(heif({{1}}, {}) + box("moov", "x"))));
  EXPECT_FALSE(video::read_heif(bytes_of(box("ftyp", "avif"))));
}

/// Returns a valid file of every kind that the parsers can read.
std::vector<std::string> valid_files() {
  return {exif(6),
          png_with(png_chunk("acTL", "x") + png_chunk("eXIf", exif(6)) + png_chunk("fcTL", "x") +
                   png_chunk("IDAT", "x") + png_chunk("fcTL", "x") + png_chunk("IEND", "")),
          jpeg_with(exif_segment(6) + index_segment({0x030000, 0})) + jpeg_with("") +
              box("ftyp", "mp42"),
          webp_with(webp_chunk("EXIF", exif(6)) + webp_chunk("ANMF", "x")),
          heif({{1, "av01", {1, 2}}, {2, "av01", {3}}},
               {box("irot", "\1"), box("imir", "\1"), box("auxC", "urn:alpha")}, {{"auxl", 2, 1}})};
}

// The test checks only that reading ends and, with sanitizers, that it doesn't read outside of the
// bytes.
TEST(PictureFile, HostileBytesAreReadToTheirEndAndNoFurther) {
  for (const std::string& whole : valid_files()) {
    for (std::size_t length = 0; length <= whole.size(); ++length) {
      const std::vector<std::uint8_t> cut(whole.begin(),
                                          whole.begin() + static_cast<std::ptrdiff_t>(length));
      static_cast<void>(video::read_picture_file(cut));
      static_cast<void>(video::read_heif(cut));
    }
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (const int value : {0, 1, 2, 0x7F, 0x80, 0xFF}) {
        std::vector<std::uint8_t> changed(whole.begin(), whole.end());
        changed[at] = static_cast<std::uint8_t>(value);
        static_cast<void>(video::read_picture_file(changed));
        static_cast<void>(video::read_heif(changed));
      }
  }
}

TEST(PictureFile, AChainOfPagesThatGoesBackEnds) {
  const std::string round = std::string("II*\0", 4) + little(8, 4) +
                            tiff_directory({{274, 3}}, 26) + tiff_directory({{256, 1}}, 8);
  EXPECT_EQ(read(round).more_pictures, 1);
  EXPECT_EQ(read(round).orientation, (Orientation{2, false}));
  const std::string self = std::string("II*\0", 4) + little(8, 4) + tiff_directory({{274, 3}}, 8);
  EXPECT_EQ(read(self).more_pictures, 0);
}

// It would take minutes to read a directory of 65,535 entries at each byte.
TEST(PictureFile, DirectoriesThatLieOverOneAnotherEnd) {
  std::string file = std::string("II*\0", 4) + little(8, 4);
  file.resize(std::size_t{1} << 20, '\xFF');
  static_cast<void>(read(file));
  for (std::size_t i = 8; i + 4 < file.size(); i += 2) file.replace(i, 2, little(2000, 2));
  static_cast<void>(read(file));
}

}  // namespace
}  // namespace facepipe::test
