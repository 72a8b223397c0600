// Memory of a suppressor, taken once: every array is a slice of one block.
#pragma once

#include <cstddef>

namespace facepipe::nms {

/// Hands out slices of a block; without a block it only counts, so that the size that is published
/// and the size that is used come from the same lines.
class Arena {
 public:
  static constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector

  Arena() = default;
  explicit Arena(std::byte* block) : block_(block) {}

  /// Uninitialised, so that what a call doesn't need is never touched.
  template <class Value>
  Value* take(std::size_t count) {
    const std::size_t offset = used_;
    used_ += (count * sizeof(Value) + kAlignment - 1) / kAlignment * kAlignment;
    return block_ == nullptr ? nullptr : reinterpret_cast<Value*>(block_ + offset);
  }

  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::byte* block_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace facepipe::nms
