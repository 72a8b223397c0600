// What a worker process says about an input (--sandbox process). The first byte of the input says
// which message it is. A message that is taken can be said again, and then means the same.
#include <cstddef>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/limits.h"
#include "core/packed.h"
#include "tests/fuzz/targets.h"
#include "video/read/worker/messages.h"

namespace facepipe::fuzz {
namespace {

/// Returns what `take` returns; nullopt if it refuses the message.
template <typename Take>
auto taken(const Take& take) -> std::optional<decltype(take())> {
  try {
    return take();
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

/// Expects that `say` and `take` understand each other, if the message is taken at all.
template <typename Take, typename Say>
void repeat(std::string_view message, const Take& take, const Say& say) {
  auto first = taken([&] {
    Unpacker unpacker(message);
    return take(unpacker);
  });
  if (!first) return;
  Packer said;
  say(said, *first);
  Unpacker again(said.bytes());
  auto second = take(again);
  require(again.empty(), "nothing is left of a message");
  Packer said_again;
  say(said_again, second);
  require(said.bytes() == said_again.bytes(), "a message means the same when it is said again");
}

void check_streams(const AVFormatContext& input) {
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const AVStream& stream = *input.streams[i];
    require(stream.time_base.num > 0 && stream.time_base.den > 0, "a stream has a time base");
    const video::UniqueCodecParameters copy = video::new_codec_parameters();
    require(avcodec_parameters_copy(copy.get(), stream.codecpar) >= 0, "parameters can be copied");
  }
}

void say_input(std::string_view message) {
  repeat(
      message,
      [](Unpacker& unpacker) {
        video::UniqueInputContext input = video::unpacked_input(unpacker);
        check_streams(*input);
        video::InputFacts facts = video::unpacked_facts(unpacker, input->nb_streams);
        require(static_cast<unsigned>(facts.video_index) < input->nb_streams, "there is a video");
        return std::pair(std::move(input), std::move(facts));
      },
      [](Packer& packer, const auto& both) {
        video::pack_input(packer, *both.first);
        video::pack_facts(packer, both.second);
      });
}

void say_packet(std::string_view message) {
  repeat(
      message,
      [](Unpacker& unpacker) {
        video::UniqueAVPacket packet = video::new_av_packet();
        video::unpack_packet(unpacker, *packet);
        return packet;
      },
      [](Packer& packer, const auto& packet) { video::pack_packet(packer, *packet); });
}

void say_picture(std::string_view message) {
  repeat(
      message,
      [](Unpacker& unpacker) {
        video::UniqueAVFrame picture = video::new_av_frame();
        video::unpack_picture(unpacker, *picture);
        return picture;
      },
      [](Packer& packer, const auto& picture) { video::pack_picture(packer, *picture); });
}

/// All samples of a picture, and what code may read behind them, lie in its memory.
void say_shape(std::string_view message) {
  static_cast<void>(taken([&] {
    Unpacker unpacker(message);
    const video::SharedShape shape = video::unpacked_shape(unpacker);
    const video::PictureMemory memory = video::memory_of(shape);
    require(shape.size.width <= kMaxPictureSide && shape.size.height <= kMaxPictureSide,
            "a picture has a possible size");
    for (std::size_t i = 0; i < memory.strides.size(); ++i)
      require(memory.strides[i] >= 0 && memory.offsets[i] <= memory.bytes, "planes lie in memory");
    return memory.bytes;
  }));
}

void say_state(std::string_view message) {
  repeat(
      message, [](Unpacker& unpacker) { return video::unpacked_state(unpacker); },
      [](Packer& packer, const auto& state) { video::pack_state(packer, state); });
}

void say_error(std::string_view message) {
  repeat(
      message, [](Unpacker& unpacker) { return video::unpacked_error(unpacker); },
      [](Packer& packer, const auto& error) { video::pack_error(packer, error); });
}

/// New streams that come while an input is read.
void say_streams(std::string_view message) {
  static_cast<void>(taken([&] {
    const video::UniqueInputContext input(video::allocated(avformat_alloc_context()));
    Unpacker unpacker(message);
    video::unpack_streams(unpacker, *input);
    check_streams(*input);
    const unsigned before = input->nb_streams;
    video::unpack_streams(unpacker, *input);
    require(input->nb_streams >= before, "no stream is lost");
    return input->nb_streams;
  }));
}

}  // namespace

void fuzz_worker(Bytes input) {
  av_log_set_level(AV_LOG_QUIET);
  Pieces pieces(input);
  constexpr void (*kMessages[])(std::string_view) = {say_input, say_packet, say_picture, say_shape,
                                                     say_state, say_error,  say_streams};
  const std::size_t which = pieces.byte() % std::size(kMessages);
  kMessages[which](text_of(pieces.rest()));
}

}  // namespace facepipe::fuzz
