#include "video/read/worker/remote_decoder.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "video/bitstream/packet_bytes.h"
#include "video/ffmpeg_compat.h"
#include "video/picture_limit.h"
#include "video/read/codec.h"
#include "video/read/cpu_decoder.h"
#include "video/read/worker/channel.h"
#include "video/read/worker/messages.h"
#include "video/read/worker/picture_slot.h"
#include "video/read/worker/remote_input.h"

namespace facepipe::video {
namespace {

using UniqueBufferPool = std::unique_ptr<AVBufferPool, FFmpegDelete<av_buffer_pool_uninit>>;

/// Copies samples, but only the bits of `mask` in each word, if it isn't 0.
void copy_memory(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes,
                 std::uint16_t mask) {
  if (mask == 0) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (std::size_t i = 0; i + 1 < bytes; i += 2) {
    std::uint16_t word = 0;
    std::memcpy(&word, from + i, sizeof word);
    word &= mask;
    std::memcpy(to + i, &word, sizeof word);
  }
}

class RemoteDecoder final : public Decoder {
 public:
  RemoteDecoder(const Demuxer& demuxer, const DecoderOptions& options, Notices& notices)
      : Decoder(demuxer, options, notices), input_(*demuxer.remote()) {
    RemoteDecoder::open_codec();
  }

  [[nodiscard]] std::unique_ptr<FrameMaker> make_frames(const AVFrame& first,
                                                        const FrameTarget& target) override {
    return make_cpu_frames(demuxer(), target, first, options().scale_on_change, notices());
  }

 private:
  void open_codec() override {
    describe(usual_codec(demuxer()));
    channel_.emplace(input_.open_codec(options()));
    slot_ = {};
  }

  [[nodiscard]] int send_to_codec(AVPacket* packet) override {
    Packer request;
    request(packet != nullptr ? Request::send : Request::drain);
    if (packet == nullptr) return code_in(ask(request));
    request(compat::tag_of(context(), *packet));
    pack_packet(request, *packet);
    return code_in(ask(request, data_of(*packet)));
  }

  [[nodiscard]] int receive_from_codec(AVFrame& picture) override {
    try {
      Message answer = ask(request_to_receive());
      if (kind_of(answer) == Answer::needs_memory) {
        hold_memory(answer);
        answer = ask(request_to_receive());
      }
      return take_picture(answer, picture);
    } catch (const std::out_of_range&) {
      input_.lose();
    }
  }

  void flush_codec() override {
    Packer request;
    request(Request::flush);
    static_cast<void>(code_in(ask(request)));
  }

  static Packer request_to_receive() {
    Packer request;
    request(Request::receive);
    return request;
  }

  static Answer kind_of(const Message& answer) {
    Answer kind{};
    Unpacker unpacker(answer.head);
    unpacker(kind);
    return kind;
  }

  [[nodiscard]] Message ask(const Packer& request, Bytes bytes = {}, int file = -1) {
    std::optional<Message> answer;
    if (channel_->send(request.bytes(), bytes, file)) answer = channel_->receive();
    if (!answer) input_.lose();
    return std::move(*answer);
  }

  /// Returns FFmpeg's code in the answer, and takes over what the answer says of the codec.
  [[nodiscard]] int take_code(Unpacker& unpacker) {
    Answer kind{};
    int code = 0;
    unpacker(kind);
    if (kind != Answer::done) throw std::out_of_range("an unexpected answer");
    unpacker(code);
    if (code > 0) throw std::out_of_range("no code of FFmpeg");
    const CodecState state = unpacked_state(unpacker);
    context().coded_width = state.coded.width;
    context().coded_height = state.coded.height;
    context().has_b_frames = state.has_b_frames;
    context().active_thread_type = state.active_thread_type;
    if (state.refused) check_pixels(url(), *state.refused, demuxer().max_pixels());
    return code;
  }

  [[nodiscard]] int code_in(const Message& answer) {
    try {
      Unpacker unpacker(answer.head);
      return take_code(unpacker);
    } catch (const std::out_of_range&) {
      input_.lose();
    }
  }

  /// Gives the worker memory for pictures of the shape that it asks for.
  void hold_memory(const Message& answer) {
    Unpacker unpacker(answer.head);
    Answer kind{};
    unpacker(kind);
    const SharedShape shape = unpacked_shape(unpacker);
    const PictureMemory memory = memory_of(shape);
    check_pixels(url(), shape.size, demuxer().max_pixels());
    slot_ = {};
    slot_ = PictureSlot::make(memory.bytes);
    Packer request;
    request(Request::hold);
    if (code_in(ask(request, {}, slot_.file())) < 0) throw std::bad_alloc();
  }

  [[nodiscard]] int take_picture(const Message& answer, AVFrame& picture) {
    Unpacker unpacker(answer.head);
    const int code = take_code(unpacker);
    if (code < 0) return code;
    const SharedShape shape = unpacked_shape(unpacker);
    const PictureMemory memory = memory_of(shape);
    check_pixels(url(), shape.size, demuxer().max_pixels());
    if (memory.bytes > slot_.bytes()) throw std::out_of_range("a picture without memory");
    copy_samples(shape, memory, picture);
    unpack_picture(unpacker, picture);
    return code;
  }

  void copy_samples(const SharedShape& shape, const PictureMemory& memory, AVFrame& picture) {
    if (!pool_ || shape != pooled_) {
      pool_.reset(allocated(av_buffer_pool_init(memory.bytes, nullptr)));
      pooled_ = shape;
    }
    picture.buf[0] = allocated(av_buffer_pool_get(pool_.get()));
    copy_memory(picture.buf[0]->data, slot_.data(), memory.bytes, sample_mask(shape.format));
    picture.format = shape.format;
    picture.width = shape.size.width;
    picture.height = shape.size.height;
    const auto planes = memory.planes(picture.buf[0]->data);
    for (std::size_t i = 0; i < planes.size(); ++i) {
      picture.data[i] = planes[i];
      picture.linesize[i] = memory.strides[i];
    }
    picture.extended_data = picture.data;
  }

  RemoteInput& input_;
  std::optional<Channel> channel_;
  PictureSlot slot_;
  UniqueBufferPool pool_;  // the program's own memory for pictures
  SharedShape pooled_;     // the shape of its pictures
};

}  // namespace

std::unique_ptr<Decoder> make_remote_decoder(const Demuxer& demuxer, const DecoderOptions& options,
                                             Notices& notices) {
  return std::make_unique<RemoteDecoder>(demuxer, options, notices);
}

}  // namespace facepipe::video
