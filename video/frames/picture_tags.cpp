#include "video/frames/picture_tags.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <cstdint>
#include <cstring>

namespace facepipe::video {
namespace {

constexpr std::int64_t kMostStretched = 1000;

/// Returns the field's number, even if its enumeration doesn't have this number.
template <typename Enumeration>
std::uint32_t number_in(const Enumeration& field) {
  static_assert(sizeof(Enumeration) == sizeof(std::uint32_t));
  std::uint32_t number = 0;
  std::memcpy(&number, &field, sizeof(number));
  return number;
}

/// Sets the field to `unspecified` if its number is unknown.
/// @param end   the enumeration's largest number + 1
/// @param name  returns FFmpeg's name of a number below `end`; nullptr if the number has no meaning
template <typename Enumeration>
void forget_unknown(Enumeration& field, Enumeration end, const char* (*name)(Enumeration),
                    Enumeration unspecified) {
  const bool known = number_in(field) < static_cast<std::uint32_t>(end) && name(field) != nullptr;
  if (!known) field = unspecified;
}

void forget_unknown_color(AVColorPrimaries& primaries, AVColorTransferCharacteristic& transfer,
                          AVColorSpace& matrix, AVColorRange& range, AVChromaLocation& location) {
  forget_unknown(primaries, AVCOL_PRI_NB, av_color_primaries_name, AVCOL_PRI_UNSPECIFIED);
  forget_unknown(transfer, AVCOL_TRC_NB, av_color_transfer_name, AVCOL_TRC_UNSPECIFIED);
  forget_unknown(matrix, AVCOL_SPC_NB, av_color_space_name, AVCOL_SPC_UNSPECIFIED);
  forget_unknown(range, AVCOL_RANGE_NB, av_color_range_name, AVCOL_RANGE_UNSPECIFIED);
  forget_unknown(location, AVCHROMA_LOC_NB, av_chroma_location_name, AVCHROMA_LOC_UNSPECIFIED);
}

}  // namespace

void forget_unknown_tags(AVFrame& picture) {
  forget_unknown_color(picture.color_primaries, picture.color_trc, picture.colorspace,
                       picture.color_range, picture.chroma_location);
  picture.sample_aspect_ratio = plausible_aspect(picture.sample_aspect_ratio);
}

void forget_unknown_tags(AVCodecParameters& video) {
  forget_unknown_color(video.color_primaries, video.color_trc, video.color_space, video.color_range,
                       video.chroma_location);
  video.sample_aspect_ratio = plausible_aspect(video.sample_aspect_ratio);
  if (number_in(video.field_order) > static_cast<std::uint32_t>(AV_FIELD_BT))
    video.field_order = AV_FIELD_UNKNOWN;
}

AVRational plausible_aspect(AVRational aspect) {
  const bool possible = aspect.num > 0 && aspect.den > 0 &&
                        aspect.num <= kMostStretched * aspect.den &&
                        aspect.den <= kMostStretched * aspect.num;
  return possible ? aspect : AVRational{0, 1};
}

}  // namespace facepipe::video
