#include "video/bitstream/field_pairs.h"

namespace facepipe::video {

FieldPairs::FieldPairs(const AVCodecParameters& parameters) {
  const AVCodecID codec = parameters.codec_id;
  if (codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_MPEG2VIDEO) parser_.emplace(parameters);
}

bool FieldPairs::is_second_field(const AVPacket& packet) {
  if (!parser_) return false;
  parsed_ = allocated(parser_->parse(packet));  // FFmpeg has parsers for both codecs
  const int structure = parsed_->picture_structure;
  const bool field =
      structure == AV_PICTURE_STRUCTURE_TOP_FIELD || structure == AV_PICTURE_STRUCTURE_BOTTOM_FIELD;
  const bool completes = field && open_field_ != 0 && open_field_ != structure;
  open_field_ = field && !completes ? structure : 0;
  return completes;
}

}  // namespace facepipe::video
