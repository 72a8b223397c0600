// Sorts candidates by rank, with a stable radix sort of their keys. Candidates of equal scores stay
// in the order of their indices.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nms/arena.h"

namespace facepipe::nms {

class RankSort {
 public:
  RankSort(Arena& arena, std::uint32_t capacity);

  /// Sorts `values` by their keys, ascending; equal keys keep their order. Keys are in [lowest,
  /// highest]. `keys` and `values` stay unchanged. `sorted` must be another array.
  void sort(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t count,
            std::uint32_t lowest, std::uint32_t highest, std::uint32_t* sorted);

 private:
  static constexpr std::uint32_t kMaxPasses = 4;
  static constexpr std::uint32_t kMaxDigitBits = 11;

  struct Digits {
    std::uint32_t passes;
    std::uint32_t bits;
  };
  static Digits choose_digits(std::uint32_t range, std::uint32_t count);
  void count_digits(const std::uint32_t* keys, std::uint32_t count, std::uint32_t lowest,
                    Digits digits);
  void sort_few(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t count,
                std::uint32_t* sorted);

  std::uint64_t* pairs_;  // key - lowest in the upper 32 bits, the value in the lower
  std::uint64_t* other_;
  // index [pass][digit]: first the number of pairs with this digit, later the output index of the
  // next pair with this digit
  std::uint32_t* begins_;
};

}  // namespace facepipe::nms
