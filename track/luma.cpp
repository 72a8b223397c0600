#include "track/luma.h"

#include <algorithm>
#include <cstddef>

namespace facepipe {
namespace {

Size half(Size size) { return {(size.width + 1) / 2, (size.height + 1) / 2}; }

/// How the two stored rows or columns of a cell lie. Cells are counted from the upright picture's
/// origin: where an axis of odd length runs the other way, the first stored cell is the single one.
struct CellAxis {
  int length = 0;
  int lead = 0;

  [[nodiscard]] int first(int cell) const { return std::max(0, 2 * cell - lead); }
  [[nodiscard]] int second(int cell) const { return std::min(length - 1, 2 * cell - lead + 1); }
};

template <typename Sample>
std::uint8_t mean(unsigned sum, int drop) {
  const unsigned rounded =
      (sum + (2U << static_cast<unsigned>(drop))) >> (2U + static_cast<unsigned>(drop));
  return static_cast<std::uint8_t>(sizeof(Sample) == 1 ? rounded : std::min(rounded, 255U));
}

/// Drops the lower `drop` bits of the means.
template <typename Sample>
void halve_rows(const Sample* upper, const Sample* lower, const CellAxis& x, int drop,
                std::uint8_t* out) {
  const int cells = (x.length + 1) / 2;
  const auto at_edge = [&](int cell) {
    const int a = x.first(cell);
    const int b = x.second(cell);
    out[cell] = mean<Sample>(0U + upper[a] + upper[b] + lower[a] + lower[b], drop);
  };
  if (cells > 1) at_edge(cells - 1);
  at_edge(0);
  // A loop without conditions, which the compiler makes a vector's.
  const int first = 2 - x.lead;
  const Sample* u = upper + first;
  const Sample* l = lower + first;
  for (int i = 0; i < cells - 2; ++i)
    out[i + 1] = mean<Sample>(0U + u[2 * i] + u[2 * i + 1] + l[2 * i] + l[2 * i + 1], drop);
}

template <typename Sample>
std::vector<std::uint8_t> halve(const std::byte* data, std::ptrdiff_t stride, const CellAxis& x,
                                const CellAxis& y, int drop) {
  const Size size = half({x.length, y.length});
  const auto width = static_cast<std::size_t>(size.width);
  std::vector<std::uint8_t> out(width * static_cast<std::size_t>(size.height));
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): a plane's rows are bytes
  for (int row = 0; row < size.height; ++row)
    halve_rows(reinterpret_cast<const Sample*>(data + y.first(row) * stride),
               reinterpret_cast<const Sample*>(data + y.second(row) * stride), x, drop,
               out.data() + static_cast<std::size_t>(row) * width);
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  return out;
}

/// Samples of `size` turned upright, as core/geometry.h defines it.
std::vector<std::uint8_t> turned(const std::vector<std::uint8_t>& samples, Size size,
                                 Orientation orientation) {
  const Size to = upright_size(size, orientation);
  std::vector<std::uint8_t> out(samples.size());
  const int right = size.width - 1;
  const int bottom = size.height - 1;
  for (int y = 0; y < to.height; ++y)
    for (int x = 0; x < to.width; ++x) {
      int from_x = x;
      int from_y = y;
      switch (orientation.quarter_turns) {
        case 1:
          from_x = y, from_y = bottom - x;
          break;
        case 2:
          from_x = right - x, from_y = bottom - y;
          break;
        case 3:
          from_x = right - y, from_y = x;
          break;
        default:
          break;
      }
      if (orientation.mirrored) from_x = right - from_x;
      out[static_cast<std::size_t>(y) * static_cast<std::size_t>(to.width) +
          static_cast<std::size_t>(x)] =
          samples[static_cast<std::size_t>(from_y) * static_cast<std::size_t>(size.width) +
                  static_cast<std::size_t>(from_x)];
    }
  return out;
}

}  // namespace

std::vector<std::uint8_t> halved(const std::uint8_t* samples, Size size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): samples of one byte
  return halve<std::uint8_t>(reinterpret_cast<const std::byte*>(samples), size.width,
                             {size.width, 0}, {size.height, 0}, 0);
}

Luma make_luma(const Plane& plane, const PixelFormat& format, Size stored,
               Orientation orientation) {
  const int turns = orientation.quarter_turns;
  // Mirroring comes first, then the turns: which stored axes run against the upright ones.
  const bool x_reversed = (turns == 2 || turns == 3) != orientation.mirrored;
  const bool y_reversed = turns == 1 || turns == 2;
  const CellAxis x{stored.width, x_reversed ? stored.width % 2 : 0};
  const CellAxis y{stored.height, y_reversed ? stored.height % 2 : 0};
  const int drop = format.shift + format.bits - 8;
  std::vector<std::uint8_t> samples =
      format.bytes_per_sample() == 1 ? halve<std::uint8_t>(plane.data, plane.stride, x, y, drop)
                                     : halve<std::uint16_t>(plane.data, plane.stride, x, y, drop);
  if (!orientation.upright()) samples = turned(samples, half(stored), orientation);
  const Size picture = upright_size(stored, orientation);
  return {picture, half(picture), std::move(samples)};
}

}  // namespace facepipe
