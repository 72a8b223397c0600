// Hides faces: overwrites all planes under the faces' masks. Alpha becomes opaque there, because
// the alpha plane could still show the face.
//
// A mask is a rectangle or an ellipse: a face's box, enlarged by HideOptions::grow. It is rounded
// outwards to chroma cells (Note: colour and subsampling, in overlay/plan.h), so chroma is hidden
// with luma. Only HideStyle::solid and HideStyle::image remove all that the picture shows of a
// face. Networks recognise people behind blurs and mosaics (McPherson, Shokri, Shmatikov 2016,
// arXiv 1609.00408). See Note: masks that overlap, at the end.
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
  image    ///< a picture stretched over the mask; transparent parts show one colour
};

enum class MaskShape : std::uint8_t { box, ellipse };

/// The sigma of HideStyle::blur is kBlurSigma times the width of the face (not grown), but at least
/// kLeastBlurSigma pixels.
inline constexpr double kBlurSigma = 0.25;
inline constexpr double kLeastBlurSigma = 4;
inline constexpr int kMosaicCells = 4;

/// The largest number of faces that one call hides.
inline constexpr std::size_t kMostHiddenFaces = 4096;

/// Describes a shape: the name that users give it, and its default growth. Growth is the share of a
/// face's width and height that the mask adds on each side. An ellipse has a larger share, so that
/// its area is about the area of the rectangle.
struct MaskShapeEntry {
  std::string_view name;
  MaskShape shape;
  double grow;
};
inline constexpr std::array kMaskShapes{
    MaskShapeEntry{"box", MaskShape::box, 0.25},
    MaskShapeEntry{"ellipse", MaskShape::ellipse, 0.35},
};
/// Returns MaskShapeEntry::grow. kMostGrow is the largest growth that users may choose.
[[nodiscard]] double default_grow(MaskShape shape);
inline constexpr double kMostGrow = 4;

struct HideOptions {
  HideStyle style = HideStyle::solid;
  MaskShape shape = MaskShape::box;
  double grow = default_grow(MaskShape::box);  ///< 0..kMostGrow
  Rgb color{};  ///< for HideStyle::solid, and under an image; default: black
  std::shared_ptr<const RgbaImage> image{};  ///< for HideStyle::image
};

/// Throws Error(usage) if `grow` is out of range, or if HideStyle::image has no valid image. The
/// sides of a valid image are 1..RgbaImage::kMostSide, and fit its number of bytes.
void check_hide_options(const HideOptions& options);

struct ComposedImage;
class BoxBlur;

/// Hides faces on frames in host memory. It keeps the image of HideStyle::image, converted for the
/// format, colour and orientation of the last frame. It also keeps four bytes of scratch memory for
/// each luma sample of the largest mask that it has blurred. Not thread-safe: each thread needs its
/// own hider.
class FaceHider {
 public:
  /// Throws as check_hide_options() does.
  explicit FaceHider(HideOptions options);
  FaceHider(FaceHider&&) noexcept;
  FaceHider& operator=(FaceHider&&) noexcept;
  FaceHider(const FaceHider&) = delete;
  FaceHider& operator=(const FaceHider&) = delete;
  ~FaceHider();

  /// Hides `faces`, boxes in pixels of the upright picture. A box may lie outside of the picture,
  /// partly or completely. If its mask lies completely outside, it hides nothing. Edges may be
  /// infinite. The result doesn't depend on the order of the boxes. Samples outside of all masks
  /// keep their values. The planes must be writable.
  ///
  /// If there is an error, the frame stays unchanged. Errors: Error(internal) for a frame that is
  /// not in host memory, and for a box with x1 > x2, y1 > y2 or a NaN; Error(device) for more than
  /// kMostHiddenFaces. It never leaves out a face without an error.
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

// Note: masks that overlap. Masks are applied one after another, from the smallest area in the
// picture to the largest. Masks of equal area are sorted by their coordinates, and equal masks are
// applied once. Each mask reads the samples that the masks before it have written. A blur or a mean
// of hidden pixels never shows more than a blur or a mean of the original pixels. Where masks
// overlap, the largest mask decides the result, because it is applied last. Its blur and cells are
// the coarsest, unless another mask is larger but lies partly outside of the picture. A frame can
// also be hidden in several calls, with different styles: no later call restores what an earlier
// call has hidden.
//
// A mask reads and writes nothing outside of its rectangle, clipped to the picture. So masks whose
// rectangles don't overlap can be applied at the same time. Together they need no more scratch
// memory than one mask that covers the picture. A blur mirrors the samples at the rectangle's
// edges. If it repeated the edge's samples instead, they would get so much weight that they would
// be visible.

}  // namespace facepipe::overlay
