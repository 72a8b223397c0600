#include "overlay/hide.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "overlay/cpu/box_blur.h"
#include "overlay/hide_image.h"
#include "overlay/hide_plan.h"

namespace facepipe::overlay {
namespace {

/// Refers to Y, U or V in memory. Step is 2 if U and V are interleaved.
template <class Sample_, int Step_>
struct Component {
  using Sample = Sample_;
  static constexpr int kStep = Step_;

  Plane plane;
  std::ptrdiff_t first = 0;  ///< index of this component's first sample in a row
  std::size_t index = 0;     ///< 0 is Y, 1 is U, 2 is V
  PlaneGrid grid;

  [[nodiscard]] Sample* row(int y) const {
    return reinterpret_cast<Sample*>(plane.data + y * plane.stride) + first;
  }
};

template <class Sample, class Visit>
void visit_components_of(const Frame& frame, const Visit& visit) {
  const PixelFormat& format = frame.format;
  visit(Component<Sample, 1>{frame.planes[0], 0, 0, {}});
  if (!format.has_chroma) return;
  const PlaneGrid grid{format.log2_chroma_w, format.log2_chroma_h};
  if (format.semi_planar) {
    visit(Component<Sample, 2>{frame.planes[1], 0, 1, grid});
    visit(Component<Sample, 2>{frame.planes[1], 1, 2, grid});
  } else {
    visit(Component<Sample, 1>{frame.planes[1], 0, 1, grid});
    visit(Component<Sample, 1>{frame.planes[2], 0, 2, grid});
  }
}

/// Calls visit(component) for Y, and for U and V if the format has them.
template <class Visit>
void visit_components(const Frame& frame, const Visit& visit) {
  if (frame.format.bytes_per_sample() == 1)
    visit_components_of<std::uint8_t>(frame, visit);
  else
    visit_components_of<std::uint16_t>(frame, visit);
}

/// Calls write(row, y, columns) for each row of a component's samples in `area`, which is a part of
/// the mask. `columns` are the masked columns. `y` and `columns` count samples.
template <class Component, class Write>
void for_each_masked_row(const Component& component, const HideMask& mask, const PixelRect& area,
                         Size cell, const Write& write) {
  const PixelRect rows = component.grid.samples_of(area);
  for (int y = rows.y1; y < rows.y2; ++y) {
    ColumnSpan pixels = masked_columns(mask, cell, y << component.grid.log2_h);
    pixels = {std::max(pixels.x1, area.x1), std::min(pixels.x2, area.x2)};
    if (!pixels.empty()) write(component.row(y), y, component.grid.samples_of(pixels));
  }
}

template <int Step, class Sample>
void fill(Sample* row, const ColumnSpan& columns, unsigned value) {
  for (std::ptrdiff_t x = columns.x1; x < columns.x2; ++x)
    row[x * Step] = static_cast<Sample>(value);
}

std::uint16_t sample_of(const YuvColor& color, std::size_t component) {
  if (component == 0) return color.y;
  return component == 1 ? color.u : color.v;
}

// The functions below are the styles, for one mask and one component.

template <class Component>
void hide_by_value(const Component& component, const HideMask& mask, Size cell, unsigned value) {
  for_each_masked_row(component, mask, mask.area, cell,
                      [&](auto* row, int, const ColumnSpan& columns) {
                        fill<Component::kStep>(row, columns, value);
                      });
}

template <class Component>
void hide_by_color(const Component& component, const HideMask& mask, Size cell,
                   const YuvColor& color) {
  hide_by_value(component, mask, cell, sample_of(color, component.index));
}

template <class Component>
std::uint64_t sum_of(const Component& component, const PixelRect& samples, int shift) {
  std::uint64_t sum = 0;
  for (int y = samples.y1; y < samples.y2; ++y) {
    const auto* const row = component.row(y);
    std::uint32_t of_row = 0;  // fits, because a row has at most kMaxPictureSide samples of 16 bits
    for (std::ptrdiff_t x = samples.x1; x < samples.x2; ++x)
      of_row += static_cast<unsigned>(row[x * Component::kStep]) >> shift;
    sum += of_row;
  }
  return sum;
}

template <class Component>
void hide_by_mean(const Component& component, const HideMask& mask, const PixelRect& tile,
                  Size cell, int shift) {
  const PixelRect samples = component.grid.samples_of(tile);
  const auto count = static_cast<std::uint64_t>(samples.x2 - samples.x1) *
                     static_cast<std::uint64_t>(samples.y2 - samples.y1);
  const unsigned mean = mosaic_mean(sum_of(component, samples, shift), count) << shift;
  for_each_masked_row(component, mask, tile, cell, [&](auto* row, int, const ColumnSpan& columns) {
    fill<Component::kStep>(row, columns, mean);
  });
}

template <class Component>
void hide_by_mosaic(const Component& component, const HideMask& mask, Size cell, int shift) {
  for (int row = 0; row < kMosaicCells; ++row)
    for (int column = 0; column < kMosaicCells; ++column) {
      const PixelRect tile = mosaic_cell(mask, cell, kMosaicCells, column, row);
      if (!tile.empty()) hide_by_mean(component, mask, tile, cell, shift);
    }
}

template <class Component>
void hide_by_blur(const Component& component, const HideMask& mask, Size cell,
                  const SampleScale& scale, BoxBlur& blur) {
  constexpr std::ptrdiff_t kStep = Component::kStep;
  const PixelRect samples = component.grid.samples_of(mask.area);
  const int width = samples.x2 - samples.x1;
  blur.resize({width, samples.y2 - samples.y1});
  for (int y = samples.y1; y < samples.y2; ++y) {
    const auto* const from = component.row(y) + samples.x1 * kStep;
    std::uint16_t* const to = blur.row(y - samples.y1);
    for (std::ptrdiff_t x = 0; x < width; ++x) to[x] = scale.widened(from[x * kStep]);
  }
  blur.blur(component.index == 0 ? mask.luma_radius : mask.chroma_radius);
  for_each_masked_row(component, mask, mask.area, cell,
                      [&](auto* row, int y, const ColumnSpan& columns) {
                        const std::uint16_t* const from = blur.row(y - samples.y1) - samples.x1;
                        for (std::ptrdiff_t x = columns.x1; x < columns.x2; ++x)
                          row[x * kStep] = static_cast<Component::Sample>(scale.narrowed(from[x]));
                      });
}

template <class Component>
void hide_by_image(const Component& component, const HideMask& mask, Size cell,
                   const ComposedImage& image) {
  constexpr std::ptrdiff_t kStep = Component::kStep;
  const ComposedImage::Level& level = level_for(image, mask.whole);
  const std::uint16_t* const source = image.samples.data() + level.plane(component.index);
  const PixelRect whole = component.grid.samples_of(mask.whole);
  const PixelRect samples = component.grid.samples_of(mask.area);
  std::vector<ImageTap> taps;  // one for each column of the mask
  taps.reserve(static_cast<std::size_t>(samples.x2 - samples.x1));
  for (int x = samples.x1; x < samples.x2; ++x)
    taps.push_back(image_tap(x - whole.x1, whole.x2 - whole.x1, level.size.width));
  for_each_masked_row(
      component, mask, mask.area, cell, [&](auto* row, int y, const ColumnSpan& columns) {
        const ImageTap tap = image_tap(y - whole.y1, whole.y2 - whole.y1, level.size.height);
        const auto stride = static_cast<std::ptrdiff_t>(level.size.width);
        const std::uint16_t* const upper = source + tap.first * stride;
        const std::uint16_t* const lower = source + tap.second * stride;
        const ImageTap* const of = taps.data() - samples.x1;
        for (std::ptrdiff_t x = columns.x1; x < columns.x2; ++x)
          row[x * kStep] = static_cast<Component::Sample>(bilinear(upper, lower, of[x], tap.part)
                                                          << image.format.shift);
      });
}

template <class Sample>
void make_opaque(const Frame& frame, const HideMask& mask, Size cell) {
  constexpr std::size_t kAlpha = 3;
  const Component<Sample, 1> alpha{frame.planes[kAlpha], 0, kAlpha, {}};
  hide_by_value(alpha, mask, cell, frame.format.largest());
}

/// Makes the masked pixels opaque, if there is alpha.
void make_opaque(const Frame& frame, std::span<const HideMask> masks, Size cell) {
  if (!frame.format.has_alpha) return;
  for (const HideMask& mask : masks) {
    if (frame.format.bytes_per_sample() == 1)
      make_opaque<std::uint8_t>(frame, mask, cell);
    else
      make_opaque<std::uint16_t>(frame, mask, cell);
  }
}

void check_device(const Frame& frame) {
  if (frame.device.kind != DeviceKind::cpu)
    throw Error(ErrorKind::internal,
                "hide: the frame is on " + to_string(frame.device) + ", not on the cpu");
}

}  // namespace

double default_grow(MaskShape shape) {
  return std::ranges::find(kMaskShapes, shape, &MaskShapeEntry::shape)->grow;
}

void check_hide_options(const HideOptions& options) {
  if (!(options.grow >= 0 && options.grow <= kMostGrow))
    throw Error(ErrorKind::usage, "hide: masks can't grow by " + std::to_string(options.grow));
  if (options.style != HideStyle::image) return;
  if (!options.image) throw Error(ErrorKind::usage, "hide: there is no image to hide faces with");
  const Size size = options.image->size;
  const auto fits = [](int side) { return side >= 1 && side <= RgbaImage::kMostSide; };
  if (!fits(size.width) || !fits(size.height))
    throw Error(ErrorKind::usage, "hide: the image is " + to_string(size) +
                                      ", its sides must be from 1 to " +
                                      std::to_string(RgbaImage::kMostSide));
  if (options.image->bytes.size() !=
      4 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height))
    throw Error(ErrorKind::usage, "hide: the image doesn't have 4 bytes for each pixel");
}

FaceHider::FaceHider(HideOptions options) : options_(std::move(options)) {
  check_hide_options(options_);
  if (options_.style == HideStyle::blur) blur_ = std::make_unique<BoxBlur>();
}
FaceHider::FaceHider(FaceHider&&) noexcept = default;
FaceHider& FaceHider::operator=(FaceHider&&) noexcept = default;
FaceHider::~FaceHider() = default;

const ComposedImage& FaceHider::composed_for(const Frame& frame) {
  if (!image_ || !image_->suits(frame))
    image_ = std::make_unique<ComposedImage>(compose(*options_.image, options_.color, frame));
  return *image_;
}

void FaceHider::hide(Frame& frame, std::span<const Box> faces) {
  check_device(frame);
  const HidePlan plan = plan_hiding(frame, faces, options_);
  if (plan.masks.empty()) return;
  const PixelFormat& format = frame.format;
  const YuvColor color = yuv_color(options_.color, format, frame.color, frame.size);
  const SampleScale scale{format.bits, format.shift};
  const ComposedImage* const image =
      options_.style == HideStyle::image ? &composed_for(frame) : nullptr;
  visit_components(frame, [&](const auto& component) {
    for (const HideMask& mask : plan.masks) {
      switch (options_.style) {
        case HideStyle::solid:
          hide_by_color(component, mask, plan.cell, color);
          break;
        case HideStyle::blur:
          hide_by_blur(component, mask, plan.cell, scale, *blur_);
          break;
        case HideStyle::mosaic:
          hide_by_mosaic(component, mask, plan.cell, format.shift);
          break;
        case HideStyle::image:
          hide_by_image(component, mask, plan.cell, *image);
          break;
      }
    }
  });
  make_opaque(frame, plan.masks, plan.cell);
}

void hide_all(Frame& frame, const Rgb& color) {
  check_device(frame);
  HideMask mask;
  mask.whole = mask.area = {0, 0, frame.size.width, frame.size.height};
  const YuvColor yuv = yuv_color(color, frame.format, frame.color, frame.size);
  visit_components(frame, [&](const auto& component) {
    hide_by_color(component, mask, {1, 1}, yuv);
  });
  make_opaque(frame, {&mask, 1}, {1, 1});
}

}  // namespace facepipe::overlay
