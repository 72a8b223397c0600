#include "app/doctor/test_picture.h"

#include <memory>
#include <vector>

namespace facepipe {
namespace {

constexpr Size kSize{320, 192};
constexpr std::size_t kLuma = std::size_t{kSize.width} * kSize.height;
constexpr std::size_t kChroma = kLuma / 4;

struct Color {
  int y = 0;
  int u = 128;
  int v = 128;
};

/// An ellipse of a face; lengths are in halves of the face's height, from its middle.
struct Part {
  float x;
  float y;
  float radius_x;
  float radius_y;
  Color color;
};
constexpr Color kHair{40, 125, 132};
constexpr Color kSkin{165, 112, 152};
constexpr Color kBrow{60, 125, 132};
constexpr Color kEyeWhite{225, 128, 128};
constexpr Color kPupil{30, 128, 128};
constexpr Color kNostrils{130, 114, 152};
constexpr Color kLips{95, 116, 165};
constexpr Part kFace[] = {
    {0, -.15F, .85F, 1.05F, kHair},      {0, .1F, .7F, .92F, kSkin},
    {-.3F, -.12F, .17F, .05F, kBrow},    {.3F, -.12F, .17F, .05F, kBrow},
    {-.3F, .05F, .13F, .07F, kEyeWhite}, {.3F, .05F, .13F, .07F, kEyeWhite},
    {-.3F, .05F, .06F, .07F, kPupil},    {.3F, .05F, .06F, .07F, kPupil},
    {0, .35F, .1F, .06F, kNostrils},     {0, .62F, .28F, .09F, kLips},
};

class Canvas {
 public:
  Canvas()
      : samples_(std::make_shared<std::vector<std::byte>>(kLuma + 2 * kChroma, std::byte{128})) {
    for (int y = 0; y < kSize.height; ++y)
      for (int x = 0; x < kSize.width; ++x) set(0, kSize.width, x, y, 56 + (x + y) % 220 / 2);
  }

  void draw_face(float x, float y, float half_height) {
    for (const Part& part : kFace)
      draw({x + part.x * half_height, y + part.y * half_height, part.radius_x * half_height,
            part.radius_y * half_height, part.color});
  }

  [[nodiscard]] Frame frame() && {
    Frame frame;
    frame.size = kSize;
    std::byte* const data = samples_->data();
    frame.planes[0] = {data, kSize.width};
    frame.planes[1] = {data + kLuma, kSize.width / 2};
    frame.planes[2] = {data + kLuma + kChroma, kSize.width / 2};
    frame.owner = std::move(samples_);
    return frame;
  }

 private:
  void set(std::size_t plane, int stride, int x, int y, int value) {
    (*samples_)[plane + static_cast<std::size_t>(y * stride + x)] = static_cast<std::byte>(value);
  }

  void draw(const Part& ellipse) {
    for (int y = 0; y < kSize.height; ++y)
      for (int x = 0; x < kSize.width; ++x) {
        const float across = (static_cast<float>(x) - ellipse.x) / ellipse.radius_x;
        const float down = (static_cast<float>(y) - ellipse.y) / ellipse.radius_y;
        if (across * across + down * down > 1) continue;
        set(0, kSize.width, x, y, ellipse.color.y);
        set(kLuma, kSize.width / 2, x / 2, y / 2, ellipse.color.u);
        set(kLuma + kChroma, kSize.width / 2, x / 2, y / 2, ellipse.color.v);
      }
  }

  std::shared_ptr<std::vector<std::byte>> samples_;
};

}  // namespace

Frame test_picture() {
  Canvas canvas;
  canvas.draw_face(90, 96, 60);
  canvas.draw_face(230, 80, 30);
  canvas.draw_face(285, 140, 18);
  return std::move(canvas).frame();
}

}  // namespace facepipe
