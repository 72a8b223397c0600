// The structure of picture files: JPEG, PNG, TIFF, WebP, AVIF and HEIF, and EXIF.
#include <cstdint>

#include "tests/fuzz/targets.h"
#include "video/read/exif.h"
#include "video/read/picture_file.h"

namespace facepipe::fuzz {
namespace {

/// No picture takes less than a byte of its file.
void check(const video::PictureFile& file, std::size_t bytes) {
  require(file.more_pictures >= 0 && file.more_pictures <= static_cast<std::int64_t>(bytes),
          "the file has more pictures than bytes");
  if (file.orientation)
    require(file.orientation->quarter_turns >= 0 && file.orientation->quarter_turns < 4,
            "a picture is turned by more than three quarters");
  for (const std::string& sentence : left_out(file))
    require(!sentence.empty() && sentence.find('\n') == std::string::npos,
            "something that was left out isn't told in a line");
}

}  // namespace

void fuzz_pictures(Bytes input) {
  check(video::read_picture_file(input), input.size());
  if (const auto heif = video::read_heif(input)) check(*heif, input.size());
  if (const auto tiff = video::read_tiff(input))
    require(tiff->pictures >= 0 && tiff->pictures <= static_cast<std::int64_t>(input.size()),
            "a TIFF file has more pictures than bytes");
  static_cast<void>(video::orientation_in_exif(input));
}

}  // namespace facepipe::fuzz
