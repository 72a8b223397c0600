// Holds memory in which a worker process leaves a decoded picture for the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "video/read/worker/channel.h"

namespace facepipe::video {

/// Memory that two processes share, without a name. The size never changes: the kernel refuses it,
/// so that neither process can make the other one's access fail.
class PictureSlot {
 public:
  PictureSlot() = default;
  ~PictureSlot();
  PictureSlot(PictureSlot&& other) noexcept;
  PictureSlot& operator=(PictureSlot&& other) noexcept;
  PictureSlot(const PictureSlot&) = delete;
  PictureSlot& operator=(const PictureSlot&) = delete;

  /// Makes memory that this process can only read. Throws Error(internal) if the system has none
  /// left; it is a PassingError.
  [[nodiscard]] static PictureSlot make(std::size_t bytes);
  /// Takes memory over that the program has made, to write into it. Returns an empty slot if this
  /// is impossible.
  [[nodiscard]] static PictureSlot take_over(Descriptor file);

  [[nodiscard]] std::uint8_t* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] int file() const { return file_.number(); }

 private:
  Descriptor file_;
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace facepipe::video
