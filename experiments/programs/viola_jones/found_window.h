// A window that passed all stages.
#pragma once

#include <compare>
#include <cstdint>

namespace facepipe::viola_jones {

struct FoundWindow {
  std::uint16_t scale = 0;  ///< index of its scale
  std::uint16_t x = 0;      ///< column of the upper left pixel
  std::uint16_t y = 0;
  std::uint16_t unused = 0;
  friend auto operator<=>(const FoundWindow&, const FoundWindow&) = default;
};

}  // namespace facepipe::viola_jones
