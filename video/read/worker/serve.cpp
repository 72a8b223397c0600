#include "video/read/worker/serve.h"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <cerrno>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/passing_error.h"
#include "core/threads.h"
#include "video/bitstream/packet_bytes.h"
#include "video/ffmpeg_compat.h"
#include "video/picture_limit.h"
#include "video/read/codec.h"
#include "video/read/demuxer.h"
#include "video/read/worker/messages.h"
#include "video/read/worker/picture_slot.h"

namespace facepipe::video {
namespace {

Request request_in(Unpacker& unpacker) {
  Request request{};
  unpacker(request);
  return request;
}

Packer answer_of(Answer kind) {
  Packer packer;
  packer(kind);
  return packer;
}

/// Decodes the packets that the program sends.
class CodecServer {
 public:
  CodecServer(Channel channel, UniqueCodecContext context)
      : channel_(std::move(channel)), context_(std::move(context)), picture_(new_av_frame()) {}

  void run() {
    while (std::optional<Message> message = channel_.receive_with_file())
      if (!answered(*message)) return;
  }

 private:
  /// Returns false if the program is gone.
  [[nodiscard]] bool answered(Message& message) {
    try {
      return answer(message);
    } catch (const std::bad_alloc&) {
      return answer_code(AVERROR(ENOMEM));
    }
  }

  [[nodiscard]] bool answer(Message& message) {
    Unpacker unpacker(message.head);
    switch (request_in(unpacker)) {
      case Request::send:
        return answer_code(send(unpacker, std::move(message.bytes)));
      case Request::drain:
        return answer_code(avcodec_send_packet(context_.get(), nullptr));
      case Request::receive:
        return receive();
      case Request::flush:
        avcodec_flush_buffers(context_.get());
        av_frame_unref(picture_.get());
        return answer_code(0);
      case Request::hold:
        slot_ = PictureSlot::take_over(std::move(message.file));
        return answer_code(slot_.bytes() > 0 ? 0 : AVERROR(ENOMEM));
      default:
        return false;
    }
  }

  [[nodiscard]] int send(Unpacker& unpacker, UniqueAVPacket packet) {
    if (!packet) packet = new_av_packet();
    std::int64_t tag = 0;
    unpacker(tag);
    unpack_packet(unpacker, *packet);
    compat::set_tag(*context_, *packet, tag);
    return avcodec_send_packet(context_.get(), packet.get());
  }

  [[nodiscard]] bool receive() {
    if (picture_->data[0] == nullptr) {
      const int code = avcodec_receive_frame(context_.get(), picture_.get());
      // FFmpeg also returns pictures that it couldn't begin to decode.
      if (code < 0 || picture_->data[0] == nullptr)
        return answer_code(code < 0 ? code : AVERROR_INVALIDDATA);
    }
    const SharedShape shape{picture_->format, {picture_->width, picture_->height}};
    const PictureMemory memory = memory_of(shape);
    if (memory.bytes > slot_.bytes()) {
      Packer packer = answer_of(Answer::needs_memory);
      pack_shape(packer, shape);
      return channel_.send(packer.bytes());
    }
    return give(shape, memory);
  }

  [[nodiscard]] bool give(const SharedShape& shape, const PictureMemory& memory) {
    auto planes = memory.planes(slot_.data());
    auto strides = memory.strides;
    av_image_copy(planes.data(), strides.data(), const_cast<const std::uint8_t**>(picture_->data),
                  picture_->linesize, static_cast<AVPixelFormat>(shape.format), shape.size.width,
                  shape.size.height);
    Packer packer = answer_of(Answer::done);
    pack_code(packer, 0);
    pack_shape(packer, shape);
    pack_picture(packer, *picture_);
    av_frame_unref(picture_.get());
    return channel_.send(packer.bytes());
  }

  void pack_code(Packer& packer, int code) const {
    packer(code);
    pack_state(packer, {{context_->coded_width, context_->coded_height},
                        context_->has_b_frames,
                        context_->active_thread_type,
                        take_refused_size()});
  }

  [[nodiscard]] bool answer_code(int code) {
    Packer packer = answer_of(Answer::done);
    pack_code(packer, code);
    return channel_.send(packer.bytes());
  }

  const Channel channel_;
  const UniqueCodecContext context_;
  const UniqueAVFrame picture_;  // decoded, and not given yet
  PictureSlot slot_;
};

/// Answers the requests to the demuxer.
class InputServer {
 public:
  explicit InputServer(const Channel& channel) : channel_(channel) {}

  void run() {
    while (std::optional<Message> message = channel_.receive_with_file())
      if (!answer(*message)) return;
  }

 private:
  /// Returns false if the program is gone.
  [[nodiscard]] bool answer(Message& message) {
    try {
      const Packer packer = answer_to(message);  // reads packet_
      return channel_.send(packer.bytes(), packet_ ? data_of(*packet_) : Bytes());
    } catch (const Error& error) {
      Packer packer = answer_of(Answer::error);
      pack_error(packer, error);
      return channel_.send(packer.bytes());
    } catch (const std::bad_alloc&) {
      Packer packer = answer_of(Answer::error);
      pack_error(packer, PassingError(ErrorKind::internal, "out of memory"));
      return channel_.send(packer.bytes());
    }
  }

  [[nodiscard]] Packer answer_to(Message& message) {
    packet_ = nullptr;
    Unpacker unpacker(message.head);
    const Request request = request_in(unpacker);
    if (request == Request::open) return open(unpacker);
    if (!demuxer_) throw std::out_of_range("no input is open");
    if (request == Request::read) return read();
    if (request == Request::open_codec) return open_codec(unpacker, std::move(message.file));
    return change(request, unpacker);
  }

  [[nodiscard]] Packer open(Unpacker& unpacker) {
    std::string url;
    std::int64_t max_pixels = 0;
    unpacker(url);
    unpacker(max_pixels);
    demuxer_ =
        std::make_unique<Demuxer>(url, std::stop_token(), References::refuse, max_pixels, nullptr);
    Packer packer = answer_of(Answer::done);
    pack_input(packer, demuxer_->format());
    known_ = demuxer_->format().nb_streams;
    pack_facts(packer, demuxer_->facts(false));
    return packer;
  }

  [[nodiscard]] Packer read() {
    packet_ = demuxer_->read();
    const AVFormatContext& input = demuxer_->format();
    Packer packer = answer_of(Answer::done);
    const bool new_streams = take_changes();
    packer(new_streams);
    if (new_streams) pack_streams(packer, input, std::exchange(known_, input.nb_streams));
    // The facts about a picture come with its first packet, and those about the whole at the end.
    const bool of_video = packet_ && packet_->stream_index == demuxer_->video_index();
    const bool new_facts = !packet_ || (of_video && !std::exchange(has_read_video_, true));
    packer(new_facts);
    if (new_facts) pack_facts(packer, demuxer_->facts(!packet_));
    packer(packet_ != nullptr);
    if (packet_) pack_packet(packer, *packet_);
    return packer;
  }

  /// Returns whether streams have changed since the last call.
  [[nodiscard]] bool take_changes() {
    const AVFormatContext& input = demuxer_->format();
    std::vector<std::int64_t> now;
    for (const AVStream* const stream : std::span(input.streams, input.nb_streams))
      now.insert(now.end(), {stream->start_time, stream->duration, stream->nb_frames});
    const bool changed = now != changing_;
    changing_ = std::move(now);
    return changed;
  }

  [[nodiscard]] Packer change(Request request, Unpacker& unpacker) {
    int stream = 0;
    unpacker(stream);
    Packer packer = answer_of(Answer::done);
    if (request == Request::work_on) {
      demuxer_->work_on(stream);
      pack_facts(packer, demuxer_->facts(false));
    } else if (request == Request::discard) {
      demuxer_->discard(stream);
    } else if (request == Request::seek) {
      std::int64_t latest = 0;
      int flags = 0;
      unpacker(latest);
      unpacker(flags);
      packer(demuxer_->seek(stream, latest, flags));
    } else {
      throw std::out_of_range("not a request to a demuxer");
    }
    return packer;
  }

  [[nodiscard]] Packer open_codec(Unpacker& unpacker, Descriptor socket) {
    int threads = 0;
    bool only_what_others_need = false;
    unpacker(threads);
    unpacker(only_what_others_need);
    auto server = std::make_unique<CodecServer>(
        Channel(std::move(socket)), open_codec_of(*demuxer_, usual_codec(*demuxer_), threads,
                                                  leaving_out_unneeded(only_what_others_need)));
    start_thread([server = std::move(server)] { server->run(); }).detach();
    return answer_of(Answer::done);
  }

  const Channel& channel_;
  std::unique_ptr<Demuxer> demuxer_;
  UniqueAVPacket packet_;  // goes with the answer
  unsigned known_ = 0;     // streams that the program knows
  std::vector<std::int64_t> changing_;
  bool has_read_video_ = false;
};

}  // namespace

void serve_input(const Channel& channel) { InputServer(channel).run(); }

void refuse_to_serve(const Channel& channel, const Error& error) {
  if (!channel.receive_with_file()) return;
  Packer packer = answer_of(Answer::error);
  pack_error(packer, error);
  static_cast<void>(channel.send(packer.bytes()));
}

}  // namespace facepipe::video
