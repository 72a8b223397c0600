#include "video/write/packet_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace facepipe::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;

std::vector<std::uint8_t> bytes(std::size_t count, std::uint8_t value) {
  std::vector<std::uint8_t> made(count, value);
  return made;
}

std::span<const std::uint8_t> content(const video::UniqueAVPacket& packet) {
  return {packet->data, static_cast<std::size_t>(packet->size)};
}

TEST(PacketPool, PacketsHaveTheirBytesAndFFmpegsPadding) {
  video::PacketPool pool;
  // An earlier packet has left bytes in this memory. They must not be read as a part of this
  // packet.
  pool.packet_of(bytes(1000, 0xff)).reset();
  const video::UniqueAVPacket packet = pool.packet_of(bytes(100, 7));
  EXPECT_THAT(content(packet), ElementsAreArray(bytes(100, 7)));
  const std::span padding(packet->data + 100, AV_INPUT_BUFFER_PADDING_SIZE);
  EXPECT_THAT(std::vector(padding.begin(), padding.end()), Each(0));
}

TEST(PacketPool, MemoryIsUsedAgain) {
  video::PacketPool pool;
  video::UniqueAVPacket packet = pool.packet_of(bytes(1000, 1));
  const std::uint8_t* const memory = packet->data;
  packet.reset();
  EXPECT_EQ(pool.packet_of(bytes(900, 2))->data, memory);
}

TEST(PacketPool, LongerOnesThanAllBeforeFit) {
  video::PacketPool pool;
  std::vector<video::UniqueAVPacket> packets;
  for (std::size_t length = 1; length < 100000; length = 2 * length + 3)
    packets.push_back(pool.packet_of(bytes(length, static_cast<std::uint8_t>(length))));
  for (std::size_t length = 1, i = 0; length < 100000; length = 2 * length + 3, ++i)
    EXPECT_THAT(content(packets[i]),
                ElementsAreArray(bytes(length, static_cast<std::uint8_t>(length))));
}

TEST(PacketPool, PacketsOutliveIt) {
  auto pool = std::make_unique<video::PacketPool>();
  const video::UniqueAVPacket packet = pool->packet_of(bytes(5000, 3));
  pool.reset();
  EXPECT_THAT(content(packet), ElementsAreArray(bytes(5000, 3)));
}

TEST(PacketPool, APacketThatIsHeldIsNotGivenAgain) {
  video::PacketPool pool;
  const video::UniqueAVPacket held = pool.packet_of(bytes(50, 4));
  const video::UniqueAVPacket next = pool.packet_of(bytes(50, 5));
  EXPECT_NE(held->data, next->data);
  EXPECT_THAT(content(held), Each(4));
}

}  // namespace
}  // namespace facepipe::test
