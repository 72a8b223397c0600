#include "detector/part.h"

#include <cstddef>

namespace facepipe::detector {

Frame part_of(const Frame& frame, PixelPlace first, Size size) {
  Frame part = view_of(frame);
  part.size = size;
  // If the frame has no tag for its matrix, the matrix is guessed from the size. This must be the
  // picture's size, not the part's.
  part.color.matrix = matrix_or_default(frame.color, frame.size);
  const PixelFormat& format = frame.format;
  for (std::size_t i = 0; i < part.planes.size(); ++i) {
    Plane& plane = part.planes[i];
    if (plane.data == nullptr) continue;
    const bool chroma = i == 1 || i == 2;
    const int x = chroma ? first.x >> format.log2_chroma_w : first.x;
    const int y = chroma ? first.y >> format.log2_chroma_h : first.y;
    const int samples = chroma && format.semi_planar ? 2 : 1;
    plane.data += y * plane.stride + std::ptrdiff_t{x} * samples * format.bytes_per_sample();
  }
  return part;
}

}  // namespace facepipe::detector
