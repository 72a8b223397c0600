#include "video/read/rgba_image.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "video/frames/frame_filter.h"
#include "video/notices.h"
#include "video/read/cpu_decoder.h"
#include "video/read/decoder.h"
#include "video/read/demuxer.h"
#include "video/read/first_picture.h"
#include "video/read/stored_orientation.h"

namespace facepipe::video {
namespace {

void check_sides(const std::string& path, const AVFrame& picture) {
  if (std::max(picture.width, picture.height) <= RgbaImage::kMostSide) return;
  throw Error(ErrorKind::input, path + ": the image is " +
                                    to_string(Size{picture.width, picture.height}) +
                                    ", its sides may have " + std::to_string(RgbaImage::kMostSide) +
                                    " pixels at most");
}

RgbaImage copy_of(const AVFrame& rgba) {
  RgbaImage image{{rgba.width, rgba.height}, {}};
  const std::ptrdiff_t row_bytes = std::ptrdiff_t{4} * rgba.width;
  for (int y = 0; y < rgba.height; ++y) {
    const std::uint8_t* const row =
        rgba.data[0] + static_cast<std::ptrdiff_t>(y) * rgba.linesize[0];
    image.bytes.insert(image.bytes.end(), row, row + row_bytes);
  }
  return image;
}

}  // namespace

RgbaImage read_rgba_image(const std::string& path) {
  Demuxer demuxer(path, {});
  Notices notices(path);
  DecoderOptions options;
  options.threads = 1;
  const OpenDecoder open = [&](DecoderChoice) {
    return make_cpu_decoder(demuxer, options, notices);
  };
  const WantsPacket wants_none = [](const AVPacket&, const Decoder&) { return false; };
  FirstPicture first = read_first_picture(demuxer, open, DecoderChoice::cpu, wants_none, notices);
  if (!first.picture) throw Error(ErrorKind::input, path + ": no picture can be decoded");
  UniqueAVFrame picture = std::move(first.picture->picture);
  check_sides(path, *picture);
  const std::string turned = rotation_filters(orientation_of(demuxer, *picture, notices));
  FrameFilter to_rgba(kind_of(*picture), "format=rgba," + turned + "null");
  return copy_of(*to_rgba.apply(std::move(picture)));
}

}  // namespace facepipe::video
