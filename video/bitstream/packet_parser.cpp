#include "video/bitstream/packet_parser.h"

namespace facepipe::video {

PacketParser::PacketParser(const AVCodecParameters& parameters)
    : parser_(av_parser_init(parameters.codec_id)) {
  if (!parser_) return;
  parser_->flags |= PARSER_FLAG_COMPLETE_FRAMES;
  context_ = new_codec_context(nullptr);
  check_av(avcodec_parameters_to_context(context_.get(), &parameters), ErrorKind::internal,
           "packet parser");
}

const AVCodecParserContext* PacketParser::parse(const AVPacket& packet) {
  if (!parser_) return nullptr;
  parser_->key_frame = -1;
  parser_->pict_type = AV_PICTURE_TYPE_NONE;
  parser_->picture_structure = AV_PICTURE_STRUCTURE_UNKNOWN;
  std::uint8_t* data = nullptr;
  int size = 0;
  av_parser_parse2(parser_.get(), context_.get(), &data, &size, packet.data, packet.size,
                   packet.pts, packet.dts, packet.pos);
  return parser_.get();
}

}  // namespace facepipe::video
