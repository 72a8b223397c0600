#include "tests/detector/cascade/pictures.h"

#include <algorithm>
#include <iterator>

namespace facepipe::test {
namespace {

constexpr int kRadii[] = {1, 4, 12, 32};
constexpr std::uint32_t kFaceOctave = std::size(kRadii);

/// Describes an ellipse in a face. Numbers are hundredths of half the face's height; the place is
/// relative to the face's middle.
struct Ellipse {
  int x;
  int y;
  int radius_x;
  int radius_y;
  int grey;
};
constexpr Ellipse kFace[] = {{0, -15, 85, 105, 50}, {0, 10, 70, 92, 180}, {-30, -14, 19, 6, 70},
                             {30, -14, 19, 6, 70},  {-30, 4, 14, 8, 90},  {30, 4, 14, 8, 90},
                             {0, 35, 10, 6, 130},   {0, 62, 28, 9, 100}};

std::uint32_t hash(std::uint32_t seed, std::uint32_t octave, std::uint32_t i) {
  std::uint32_t h = i * 0xC2B2AE3DU + seed * 0x9E3779B1U + octave * 0x85EBCA77U;
  h ^= h >> 15;
  h *= 0x2C1B3C6DU;
  h ^= h >> 12;
  h *= 0x297A2D39U;
  return h ^ (h >> 15);
}

/// Returns the index of the pixel (x, y) in rows of this width.
std::size_t index_of(int width, int x, int y) {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
         static_cast<std::size_t>(x);
}

std::size_t pixel_count(Size size) { return index_of(size.width, 0, size.height); }

/// Holds the sum and the number of those pixels of a square that are in the picture.
struct SquareSum {
  std::int64_t sum;
  std::int64_t count;
};

class SquareSums {
 public:
  SquareSums(const std::vector<int>& pixels, Size size)
      : size_(size), sums_(pixel_count({size.width + 1, size.height + 1})) {
    for (int y = 0; y < size.height; ++y) {
      std::int64_t row = 0;
      for (int x = 0; x < size.width; ++x) {
        row += pixels[index_of(size.width, x, y)];
        sums_[index(x + 1, y + 1)] = sums_[index(x + 1, y)] + row;
      }
    }
  }

  [[nodiscard]] SquareSum around(int x, int y, int radius) const {
    const int left = std::max(x - radius, 0);
    const int top = std::max(y - radius, 0);
    const int right = std::min(x + radius + 1, size_.width);
    const int bottom = std::min(y + radius + 1, size_.height);
    return {sums_[index(right, bottom)] - sums_[index(right, top)] - sums_[index(left, bottom)] +
                sums_[index(left, top)],
            std::int64_t{right - left} * (bottom - top)};
  }

 private:
  [[nodiscard]] std::size_t index(int x, int y) const { return index_of(size_.width + 1, x, y); }

  Size size_;
  std::vector<std::int64_t> sums_;
};

/// Calls work(index, x, y) for each pixel.
template <typename Work>
void for_each_pixel(Size size, const Work& work) {
  std::size_t i = 0;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) work(i++, x, y);
}

std::vector<int> make_texture(Size size, std::uint32_t seed) {
  const std::size_t count = pixel_count(size);
  std::vector<std::int64_t> total(count);
  std::vector<int> pixels(count);
  for (std::uint32_t octave = 0; octave < std::size(kRadii); ++octave) {
    for (std::size_t i = 0; i < count; ++i)
      pixels[i] = static_cast<int>(hash(seed, octave, static_cast<std::uint32_t>(i)) >> 24);
    const SquareSums squares(pixels, size);
    const int radius = kRadii[octave];
    const int gain = 16 * (2 * radius + 1);
    for_each_pixel(size, [&](std::size_t i, int x, int y) {
      const auto [sum, n] = squares.around(x, y, radius);
      total[i] += sum * gain / n - 128 * gain;
    });
  }
  for (std::size_t i = 0; i < count; ++i)
    pixels[i] = static_cast<int>(std::clamp<std::int64_t>(128 + (total[i] >> 7), 0, 255));
  return pixels;
}

void draw_ellipse(std::vector<int>& pixels, Size size, int middle_x, int middle_y, int half_height,
                  const Ellipse& ellipse) {
  const auto square = [](std::int64_t value) { return value * value; };
  const std::int64_t square_x = square(ellipse.radius_x * half_height);
  const std::int64_t square_y = square(ellipse.radius_y * half_height);
  const int reach = 2 * half_height;
  const int bottom = std::min(middle_y + reach + 1, size.height);
  const int right = std::min(middle_x + reach + 1, size.width);
  for (int y = std::max(middle_y - reach, 0); y < bottom; ++y)
    for (int x = std::max(middle_x - reach, 0); x < right; ++x) {
      const std::int64_t across = square(100 * (x - middle_x) - ellipse.x * half_height);
      const std::int64_t down = square(100 * (y - middle_y) - ellipse.y * half_height);
      if (across * square_y + down * square_x > square_x * square_y) continue;
      pixels[index_of(size.width, x, y)] = ellipse.grey;
    }
}

void draw_faces(std::vector<int>& pixels, const PictureRecipe& recipe) {
  const auto random = [&](int i, int below) {
    return static_cast<int>(hash(recipe.seed, kFaceOctave, static_cast<std::uint32_t>(i)) %
                            static_cast<std::uint32_t>(below));
  };
  const auto [width, height] = recipe.size;
  const int sizes = std::max(1, std::min(std::min(width, height) / 3, 200) - 12);
  for (int face = 0; face < recipe.faces; ++face) {
    const int half_height = 12 + random(3 * face, sizes);
    const int x = random(3 * face + 1, width);
    const int y = random(3 * face + 2, height);
    for (const Ellipse& ellipse : kFace)
      draw_ellipse(pixels, recipe.size, x, y, half_height, ellipse);
  }
}

}  // namespace

std::vector<std::uint8_t> make_picture(const PictureRecipe& recipe) {
  std::vector<int> pixels = make_texture(recipe.size, recipe.seed);
  draw_faces(pixels, recipe);
  const SquareSums squares(pixels, recipe.size);
  std::vector<std::uint8_t> picture(pixels.size());
  for_each_pixel(recipe.size, [&](std::size_t i, int x, int y) {
    const auto [sum, n] = squares.around(x, y, 1);
    const int mean = static_cast<int>((sum + n / 2) / n);
    const int level = recipe.grey + (((mean - 128) * recipe.contrast) >> 8);
    picture[i] = static_cast<std::uint8_t>(std::clamp(level, 0, 255));
  });
  return picture;
}

std::uint64_t fnv_hash(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3U;
  return hash;
}

}  // namespace facepipe::test
