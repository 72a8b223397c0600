// A suppressor allocates its memory once: every array is a slice of one block.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace facepipe::nms {

/// Gives out slices of a block of memory, one after the other. Without a block, take() returns null
/// and only adds up sizes. So the same code can first compute the size of the block, and then
/// divide the block. An Arena owns no memory.
class Arena {
 public:
  /// The size of a cache line, and of the widest vector.
  static constexpr std::size_t kAlignment = 64;

  /// `block` must be aligned to `alignment`. Every slice is aligned to `alignment`, too.
  explicit Arena(std::byte* block = nullptr, std::size_t alignment = kAlignment)
      : block_(block), alignment_(alignment) {}

  /// Returns an uninitialised array. Doesn't touch the memory, so unused pages cost nothing.
  template <class Value>
  Value* take(std::size_t count) {
    const std::size_t offset = used_;
    used_ += (count * sizeof(Value) + alignment_ - 1) / alignment_ * alignment_;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): typed memory in one block
    return block_ == nullptr ? nullptr : reinterpret_cast<Value*>(block_ + offset);
  }

  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::byte* block_;
  std::size_t alignment_;
  std::size_t used_ = 0;
};

struct FreeBlock {
  void operator()(std::byte* block) const {
    ::operator delete[](block, std::align_val_t{Arena::kAlignment});
  }
};
/// Owns the memory for an Arena.
using Block = std::unique_ptr<std::byte, FreeBlock>;
[[nodiscard]] inline Block make_block(std::size_t bytes) {
  return Block(
      static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{Arena::kAlignment})));
}

}  // namespace facepipe::nms
