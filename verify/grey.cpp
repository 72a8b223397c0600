#include "verify/grey.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/error.h"

namespace facepipe::verify {
namespace {

using Levels = std::array<std::uint8_t, 256>;

/// Returns a table that maps each level to itself.
Levels plain_levels() {
  Levels levels{};
  for (int i = 0; i < 256; ++i) levels[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
  return levels;
}

/// Returns a table that maps coded levels of luma to 0..255.
Levels levels_of(const Frame& frame) {
  constexpr int kBlack = 16;
  constexpr int kSteps = 219;
  const bool full = frame.color.full_range || frame.color.matrix == ColorInfo::kIdentityMatrix;
  Levels levels{};
  for (int i = 0; i < 256; ++i) {
    const int wide = ((i - kBlack) * 255 + kSteps / 2) / kSteps;
    levels[static_cast<std::size_t>(i)] =
        static_cast<std::uint8_t>(full ? i : std::clamp(wide, 0, 255));
  }
  return levels;
}

unsigned sample_at(const std::byte* row, int x, const PixelFormat& format) {
  if (format.bytes_per_sample() == 1) return std::to_integer<unsigned>(row[x]);
  std::uint16_t word = 0;
  std::memcpy(&word, row + 2 * static_cast<std::ptrdiff_t>(x), sizeof word);
  const int drop = format.shift + format.bits - 8;
  return std::min(255U, static_cast<unsigned>(word) >> static_cast<unsigned>(drop));
}

/// Says where the sample of the stored pixel (x, y) goes: to origin + x * across + y * down.
struct Places {
  std::ptrdiff_t origin = 0;
  std::ptrdiff_t across = 1;
  std::ptrdiff_t down = 0;
};

Places places_of(Size stored, Orientation orientation) {
  const std::ptrdiff_t row = upright_size(stored, orientation).width;
  const std::ptrdiff_t right = stored.width - 1;
  const std::ptrdiff_t bottom = stored.height - 1;
  // Mirroring changes x to right - x. Each quarter turn clockwise changes (x, y) to (bottom - y,
  // x).
  Places places;
  switch (orientation.quarter_turns) {
    case 1:
      places = {bottom, row, -1};
      break;
    case 2:
      places = {bottom * row + right, -1, -row};
      break;
    case 3:
      places = {right * row, -row, 1};
      break;
    default:
      places = {0, 1, row};
      break;
  }
  if (orientation.mirrored) {
    places.origin += right * places.across;
    places.across = -places.across;
  }
  return places;
}

/// Describes the samples of a plane, or of one of two components that are interleaved in a plane.
struct Samples {
  Plane plane;
  Size size;
  int step = 1;  ///< distance from one sample to the next in its row, in samples
  int first = 0;
};

void check_place(const Frame& frame) {
  if (frame.device.kind != DeviceKind::cpu)
    throw Error(ErrorKind::internal, "a frame that is not in host memory");
}

Grey grey_of(const Frame& frame, const Samples& samples, const Levels& levels) {
  const Size size = samples.size;
  Grey grey{upright_size(size, frame.orientation), {}};
  grey.samples.resize(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  const Places places = places_of(size, frame.orientation);
  for (int y = 0; y < size.height; ++y) {
    const std::byte* const row = samples.plane.data + y * samples.plane.stride;
    std::ptrdiff_t to = places.origin + y * places.down;
    for (int x = 0; x < size.width; ++x, to += places.across)
      grey.samples[static_cast<std::size_t>(to)] =
          levels[sample_at(row, samples.first + x * samples.step, frame.format)];
  }
  return grey;
}

bool is_flat(const Grey& grey) {
  constexpr int kNearlyFlat = 8;
  const auto [least, most] = std::ranges::minmax(grey.samples);
  return most - least < kNearlyFlat;
}

}  // namespace

Grey make_grey(const Frame& frame) {
  check_place(frame);
  return grey_of(frame, {frame.planes[0], frame.size}, levels_of(frame));
}

Planes make_planes(const Frame& frame) {
  Planes planes{make_grey(frame), {}, {}};
  const Levels plain = plain_levels();
  if (frame.format.has_chroma) {
    const bool interleaved = frame.format.semi_planar;
    for (const int i : {0, 1}) {
      const Plane& plane = frame.planes[interleaved ? 1 : static_cast<std::size_t>(1 + i)];
      planes.chroma.push_back(grey_of(
          frame, {plane, frame.chroma_size(), interleaved ? 2 : 1, interleaved ? i : 0}, plain));
    }
  }
  if (frame.format.has_alpha) planes.alpha = grey_of(frame, {frame.planes[3], frame.size}, plain);
  return planes;
}

std::optional<Frame> alpha_view(const Frame& frame) {
  check_place(frame);
  if (!frame.format.has_alpha) return std::nullopt;
  if (is_flat(grey_of(frame, {frame.planes[3], frame.size}, plain_levels()))) return std::nullopt;
  Frame view = view_of(frame);
  view.color = {};
  view.color.full_range = true;
  view.planes = {frame.planes[3]};
  view.format.has_chroma = view.format.has_alpha = false;
  return view;
}

Grey crop(const Grey& picture, const Box& box, int most_side) {
  const auto clipped = [](float edge, int side) {
    return static_cast<int>(std::clamp(edge, 0.0F, static_cast<float>(side)));
  };
  const int left = clipped(std::floor(box.x1), picture.size.width);
  const int top = clipped(std::floor(box.y1), picture.size.height);
  const int width = clipped(std::ceil(box.x2), picture.size.width) - left;
  const int height = clipped(std::ceil(box.y2), picture.size.height) - top;
  if (width <= 0 || height <= 0) return {};
  const int step = (std::max(width, height) + most_side - 1) / most_side;
  Grey part{{(width + step - 1) / step, (height + step - 1) / step}, {}};
  for (int y = 0; y < part.size.height; ++y)
    for (int x = 0; x < part.size.width; ++x) {
      const int right = std::min(width, (x + 1) * step);
      const int bottom = std::min(height, (y + 1) * step);
      const int count = (right - x * step) * (bottom - y * step);
      std::int64_t sum = 0;
      for (int j = y * step; j < bottom; ++j)
        for (int i = x * step; i < right; ++i) sum += picture.at(left + i, top + j);
      part.samples.push_back(static_cast<std::uint8_t>(sum / std::max(1, count)));
    }
  return part;
}

}  // namespace facepipe::verify
