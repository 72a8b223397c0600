#include "video/read/worker/picture_slot.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/passing_error.h"

namespace facepipe::video {
namespace {

std::uint8_t* mapped(const Descriptor& file, std::size_t bytes, int protection) {
  void* const memory = mmap(nullptr, bytes, protection, MAP_SHARED, file.number(), 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(memory);
}

}  // namespace

PictureSlot::~PictureSlot() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

PictureSlot::PictureSlot(PictureSlot&& other) noexcept
    : file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

PictureSlot& PictureSlot::operator=(PictureSlot&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

PictureSlot PictureSlot::make(std::size_t bytes) {
  PictureSlot slot;
  slot.file_ = Descriptor(memfd_create("facepipe picture", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (slot.file_ && ftruncate(slot.file(), static_cast<off_t>(bytes)) == 0 &&
      fcntl(slot.file(), F_ADD_SEALS, kSeals) == 0)
    slot.data_ = mapped(slot.file_, bytes, PROT_READ);
  if (slot.data_ == nullptr)
    throw PassingError(ErrorKind::internal,
                       "can't make memory for pictures: " + std::generic_category().message(errno));
  slot.bytes_ = bytes;
  return slot;
}

PictureSlot PictureSlot::take_over(Descriptor file) {
  PictureSlot slot;
  struct stat found {};
  if (!file || fstat(file.number(), &found) != 0 || found.st_size <= 0) return slot;
  slot.bytes_ = static_cast<std::size_t>(found.st_size);
  slot.data_ = mapped(file, slot.bytes_, PROT_READ | PROT_WRITE);
  if (slot.data_ == nullptr) slot.bytes_ = 0;
  return slot;
}

}  // namespace facepipe::video
