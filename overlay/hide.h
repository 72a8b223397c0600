// Hides faces: overwrites everything under their masks, in all planes. Alpha becomes opaque there,
// because it may show what the colours no longer show.
//
// A mask is a face's box, grown, as a rectangle or an ellipse. It is rounded outwards to chroma
// cells (Note: colour and subsampling, in overlay/plan.h), so chroma is hidden with luma. Only a
// colour, or an image on a colour, leaves nothing of what was there. Networks recognise people
// behind blurs and mosaics (McPherson, Shokri, Shmatikov 2016, arXiv 1609.00408). See Note: masks
// that overlap, at the end.
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
  blur,    ///< three box filters, together as wide as a Gaussian with kBlurSigma
  mosaic,  ///< the means of kMosaicCells x kMosaicCells cells
  image    ///< a picture stretched over the mask, on one colour if parts of it are transparent
};

enum class MaskShape : std::uint8_t { box, ellipse };

/// This is the sigma of HideStyle::blur, as a share of the width of the face (not grown), and its
/// least value in pixels.
inline constexpr double kBlurSigma = 0.25;
inline constexpr double kLeastBlurSigma = 4;
inline constexpr int kMosaicCells = 4;

/// The largest number of faces that one call hides.
inline constexpr std::size_t kMostHiddenFaces = 4096;

/// Describes a shape: the name that users give it, and its default growth. Growth is the share of a
/// face's width and height that the mask adds on each side. With the larger share, an ellipse has
/// about the area of the rectangle.
struct MaskShapeEntry {
  std::string_view name;
  MaskShape shape;
  double grow;
};
inline constexpr std::array kMaskShapes{
    MaskShapeEntry{"box", MaskShape::box, 0.25},
    MaskShapeEntry{"ellipse", MaskShape::ellipse, 0.35},
};
/// Returns MaskShapeEntry::grow. kMostGrow is the most that users may ask for.
[[nodiscard]] double default_grow(MaskShape shape);
inline constexpr double kMostGrow = 4;

struct HideOptions {
  HideStyle style = HideStyle::solid;
  MaskShape shape = MaskShape::box;
  double grow = default_grow(MaskShape::box);  ///< 0..kMostGrow
  Rgb color{};  ///< for HideStyle::solid, and under an image; default: black
  std::shared_ptr<const RgbaImage> image{};  ///< for HideStyle::image
};

/// Throws Error(usage) if `grow` is out of range, if HideStyle::image has no image, or if an
/// image's sides are not 1..RgbaImage::kMostSide or don't fit its bytes.
void check_hide_options(const HideOptions& options);

struct ComposedImage;
class BoxBlur;

/// Hides faces on frames in host memory. It keeps the image converted for the last kind of frame.
/// It also keeps four bytes of scratch memory for each luma sample of the largest mask that it has
/// blurred. Not thread-safe: each thread needs its own.
class FaceHider {
 public:
  /// Throws as check_hide_options() does.
  explicit FaceHider(HideOptions options);
  FaceHider(FaceHider&&) noexcept;
  FaceHider& operator=(FaceHider&&) noexcept;
  FaceHider(const FaceHider&) = delete;
  FaceHider& operator=(const FaceHider&) = delete;
  ~FaceHider();

  /// Hides `faces`, boxes in pixels of the upright picture. A box may lie partly or wholly outside
  /// of the picture; in the second case it hides nothing. Edges may be infinite. The result doesn't
  /// depend on the order of the boxes. Samples outside of all masks keep their values. The planes
  /// must be writable.
  ///
  /// If there is an error, the frame stays unchanged. Errors: Error(internal) for a frame that is
  /// not in host memory, and for a box with x1 > x2, y1 > y2 or a NaN; Error(device) for more than
  /// kMostHiddenFaces. No face is left unhidden silently.
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

// Note: masks that overlap. Masks are hidden one after another, by rising area in the picture.
// Masks of equal area are sorted by their coordinates, and equal masks are hidden once. Each mask
// reads what the masks before it have left. A blur or a mean of pixels that are hidden already
// never shows more than one of the original pixels. If masks overlap, the largest wins. Its blur
// and cells are the coarsest, unless the picture's edge cuts another face's mask. The same holds if
// a frame is hidden in several calls, by several styles: no later call brings back what an earlier
// call has hidden.
//
// A mask reads and writes nothing beyond its rectangle, clipped to the picture. So masks whose
// rectangles don't overlap may be hidden at once. Together they need no more scratch memory than
// one mask that covers the picture. Beyond the rectangle's edges a blur mirrors what is inside. If
// it repeated the edge, the samples of the edge would get so much weight that they show.

}  // namespace facepipe::overlay
