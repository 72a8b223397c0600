// Copies a clip and changes its streams in ways for which the ffmpeg command has no options.
#pragma once

extern "C" {
#include <libavutil/mem.h>
}

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <span>

#include "video/ffmpeg.h"
#include "video/ffmpeg_compat.h"
#include "video/read/demuxer.h"

namespace facepipe::test {

inline void set_extradata(AVCodecParameters& parameters, std::span<const std::uint8_t> bytes) {
  av_freep(reinterpret_cast<void*>(&parameters.extradata));
  parameters.extradata = static_cast<std::uint8_t*>(
      video::allocated(av_mallocz(bytes.size() + AV_INPUT_BUFFER_PADDING_SIZE)));
  std::memcpy(parameters.extradata, bytes.data(), bytes.size());
  parameters.extradata_size = static_cast<int>(bytes.size());
}

template <typename T>
void add_stream_data(AVStream& stream, AVPacketSideDataType type, const T& data) {
  std::memcpy(video::allocated(video::compat::new_stream_side_data(stream, type, sizeof data)),
              &data, sizeof data);
}

/// Copies the packets of a file to another file.
/// @param change  is called for each output stream before the header is written
inline void remux(const std::filesystem::path& from, const std::filesystem::path& to,
                  const std::function<void(AVStream&)>& change) {
  video::Demuxer input(from.string(), {});
  AVFormatContext* raw = nullptr;
  video::check_av(avformat_alloc_output_context2(&raw, nullptr, nullptr, to.c_str()),
                  ErrorKind::output, to.string());
  const video::UniqueOutputContext output(raw);
  output->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
  for (unsigned i = 0; i < input.format().nb_streams; ++i) {
    const AVStream& source = *input.format().streams[i];
    AVStream* const stream = video::allocated(avformat_new_stream(output.get(), nullptr));
    video::check_av(avcodec_parameters_copy(stream->codecpar, source.codecpar), ErrorKind::internal,
                    "");
    stream->codecpar->codec_tag = 0;
    stream->time_base = source.time_base;
    change(*stream);
  }
  video::check_av(avio_open(&output->pb, to.c_str(), AVIO_FLAG_WRITE), ErrorKind::output,
                  to.string());
  video::check_av(avformat_write_header(output.get(), nullptr), ErrorKind::output, to.string());
  while (const video::UniqueAVPacket packet = input.read()) {
    av_packet_rescale_ts(packet.get(), input.format().streams[packet->stream_index]->time_base,
                         output->streams[packet->stream_index]->time_base);
    video::check_av(av_interleaved_write_frame(output.get(), packet.get()), ErrorKind::output, "");
  }
  video::check_av(av_write_trailer(output.get()), ErrorKind::output, to.string());
  avio_closep(&output->pb);
}

}  // namespace facepipe::test
