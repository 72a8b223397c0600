#include "track/cpu/luma.h"

#include <algorithm>
#include <cstddef>

#include "track/luma_cells.h"

namespace facepipe::track {
namespace {

Size half(Size size) { return {(size.width + 1) / 2, (size.height + 1) / 2}; }

std::uint8_t mean(unsigned sum, int drop) {
  return static_cast<std::uint8_t>(mean_of_four(sum, drop));
}

/// Halves two rows. The lower `drop` bits of the means are dropped.
template <typename Sample>
void halve_rows(const Sample* upper, const Sample* lower, const CellAxis& x, int drop,
                std::uint8_t* out) {
  const int cells = x.cells();
  const auto at_edge = [&](int cell) {
    const int a = x.first(cell);
    const int b = x.second(cell);
    out[cell] = mean(0U + upper[a] + upper[b] + lower[a] + lower[b], drop);
  };
  if (cells > 1) at_edge(cells - 1);
  at_edge(0);
  // This loop has no conditions, so the compiler can vectorise it.
  const int first = 2 - x.lead;
  const Sample* u = upper + first;
  const Sample* l = lower + first;
  for (int i = 0; i < cells - 2; ++i)
    out[i + 1] = mean(0U + u[2 * i] + u[2 * i + 1] + l[2 * i] + l[2 * i + 1], drop);
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

/// Returns the samples of a picture of `size`, turned upright, as core/geometry.h defines it.
std::vector<std::uint8_t> turned(const std::vector<std::uint8_t>& samples, Size size,
                                 Orientation orientation) {
  const Size to = upright_size(size, orientation);
  std::vector<std::uint8_t> out(samples.size());
  for (int y = 0; y < to.height; ++y)
    for (int x = 0; x < to.width; ++x) {
      const PixelPlace from = before_turning({x, y}, size, orientation);
      out[static_cast<std::size_t>(y) * static_cast<std::size_t>(to.width) +
          static_cast<std::size_t>(x)] =
          samples[static_cast<std::size_t>(from.y) * static_cast<std::size_t>(size.width) +
                  static_cast<std::size_t>(from.x)];
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
  const LumaCells cells(format, stored, orientation);
  std::vector<std::uint8_t> samples =
      format.bytes_per_sample() == 1
          ? halve<std::uint8_t>(plane.data, plane.stride, cells.x, cells.y, 0)
          : halve<std::uint16_t>(plane.data, plane.stride, cells.x, cells.y, cells.drop);
  if (!orientation.upright()) samples = turned(samples, half(stored), orientation);
  const Size picture = upright_size(stored, orientation);
  return {picture, half(picture), std::move(samples)};
}

}  // namespace facepipe::track
