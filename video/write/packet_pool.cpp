#include "video/write/packet_pool.h"

#include <cstring>
#include <limits>
#include <new>

namespace facepipe::video {

UniqueAVPacket PacketPool::packet_of(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max() - AV_INPUT_BUFFER_PADDING_SIZE;
  if (bytes.size() > kMost) throw std::bad_alloc();
  const std::size_t needed = bytes.size() + AV_INPUT_BUFFER_PADDING_SIZE;
  if (needed > each_) {
    const std::size_t each = needed + needed / 4;  // the next packets are about as long
    pool_.reset(allocated(av_buffer_pool_init(each, nullptr)));
    each_ = each;
  }
  UniqueAVPacket packet = new_av_packet();
  packet->buf = allocated(av_buffer_pool_get(pool_.get()));
  packet->data = packet->buf->data;
  packet->size = static_cast<int>(bytes.size());
  std::memcpy(packet->data, bytes.data(), bytes.size());
  std::memset(packet->data + bytes.size(), 0, AV_INPUT_BUFFER_PADDING_SIZE);
  return packet;
}

}  // namespace facepipe::video
