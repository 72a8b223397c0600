// Hides faces: overwrites what lies under their masks, in all planes. Alpha becomes opaque there:
// it may show what the colours no longer do.
//
// A mask is a face's box, grown, as a rectangle or an ellipse, and rounded outwards to chroma cells
// (Note: colour and subsampling, in overlay/plan.h): chroma is hidden with luma. Only a colour, and
// an image on a colour, leave nothing of what was there; networks name people behind blurs and
// mosaics (McPherson, Shokri, Shmatikov 2016, arXiv 1609.00408). See Note: masks that overlap, at
// the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/frame.h"
#include "core/geometry.h"
#include "core/rgba_image.h"
#include "overlay/yuv_color.h"

namespace facepipe::overlay {

enum class HideStyle : std::uint8_t {
  solid,   ///< one colour
  blur,    ///< three box filters, together as wide as a Gaussian of kBlurSigma
  mosaic,  ///< the means of kMosaicCells x kMosaicCells cells
  image    ///< a picture stretched over the mask, on one colour where it is transparent
};

enum class MaskShape : std::uint8_t { box, ellipse };

/// Sigma of HideStyle::blur: a share of the face's width, not grown, and the least in pixels.
inline constexpr double kBlurSigma = 0.25;
inline constexpr double kLeastBlurSigma = 4;
inline constexpr int kMosaicCells = 4;

/// The most faces that one call hides.
inline constexpr std::size_t kMostHiddenFaces = 4096;

/// A shape, what users call it, and how much of a face's width and height its mask adds on each
/// side unless told. By the larger share an ellipse has about the area of the rectangle.
struct MaskShapeEntry {
  std::string_view name;
  MaskShape shape;
  double grow;
};
inline constexpr std::array kMaskShapes{
    MaskShapeEntry{"box", MaskShape::box, 0.25},
    MaskShapeEntry{"ellipse", MaskShape::ellipse, 0.35},
};
/// MaskShapeEntry::grow, and the most that may be asked for.
[[nodiscard]] double default_grow(MaskShape shape);
inline constexpr double kMostGrow = 4;

struct HideOptions {
  HideStyle style = HideStyle::solid;
  MaskShape shape = MaskShape::box;
  double grow = default_grow(MaskShape::box);  ///< 0..kMostGrow
  Rgb color{};                                 ///< of solid, and under an image; black
  std::shared_ptr<const RgbaImage> image{};    ///< for HideStyle::image
};

/// Throws Error(usage) for a `grow` out of range, for HideStyle::image without an image, and for an
/// image whose sides are not 1..RgbaImage::kMostSide or don't fit its bytes.
void check_hide_options(const HideOptions& options);

struct ComposedImage;
class BoxBlur;

/// Hides faces on frames in host memory. Keeps an image converted for the last kind of frame, and
/// four bytes of scratch memory for each luma sample of the largest mask that it has blurred. Not
/// thread-safe: one for each thread.
class FaceHider {
 public:
  /// Throws as check_hide_options().
  explicit FaceHider(HideOptions options);
  FaceHider(FaceHider&&) noexcept;
  FaceHider& operator=(FaceHider&&) noexcept;
  FaceHider(const FaceHider&) = delete;
  FaceHider& operator=(const FaceHider&) = delete;
  ~FaceHider();

  /// Hides `faces`, boxes in pixels of the upright picture. They may lie outside of it in part, or
  /// wholly, and then hide nothing; edges may be infinite. The result doesn't depend on their
  /// order. Samples outside of all masks keep their values. The planes must be writable.
  ///
  /// Errors, with which the frame is left as it was: Error(internal) for a frame that is not in
  /// host memory, and for a box with x1 > x2, y1 > y2 or a NaN; Error(device) for more than
  /// kMostHiddenFaces. None of them is left unhidden silently.
  void hide(Frame& frame, std::span<const Box> faces);

 private:
  [[nodiscard]] const ComposedImage& composed_for(const Frame& frame);

  HideOptions options_;
  std::unique_ptr<BoxBlur> blur_;
  std::unique_ptr<ComposedImage> image_;
};

/// Fills all of a frame in host memory with one opaque colour. Errors: Error(internal) for a frame
/// that is not in host memory.
void hide_all(Frame& frame, const Rgb& color);

// Note: masks that overlap.
// Masks are hidden one after another, by rising area in the picture; those of equal area by their
// coordinates, and equal ones once. Each reads what those before it have left: a blur or a mean of
// pixels that are hidden already shows less than one of the originals, never more. Where masks
// overlap the largest wins; its blur and cells are the coarsest, unless the picture's edge cuts
// another face's mask. Whoever hides on one frame in several calls, by several styles, gets the
// same promise: what one call has hidden no later one brings back.
//
// A mask reads and writes nothing beyond its rectangle, clipped to the picture. So masks whose
// rectangles don't overlap may be hidden at once, and together need no more scratch memory than one
// that covers the picture. Beyond the rectangle's edges a blur mirrors what is inside: to repeat
// the edge would give its samples so much weight that they show.

}  // namespace facepipe::overlay
