// Draws the sheet of a second look (detector/crops.h) in device memory, and reads the scores of its
// faces.
#pragma once

#include <cstddef>

#include "core/cuda/buffer.h"
#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "detector/crops.h"

namespace facepipe::detector {

/// The most crops of a sheet.
inline constexpr std::size_t kMostCrops = 16;

/// What changes from sheet to sheet. Kernels read it in device memory.
struct SheetWork {
  FrameDescriptor frame;  ///< the frame that is looked at again
  FrameDescriptor sheet;  ///< see CudaCropSheet::describe()
  int black = 0;          ///< luma of black, in 8 bits
  int crops = 0;          ///< the first places of the sheet that show something
  Crop crop[kMostCrops] = {};
};

/// The scores of the faces of a sheet.
struct SheetScores {
  float of_place[kMostCrops] = {};
};

/// A sheet in device memory (NV12). It differs a little from CropSheet, because colours are scaled
/// as luma and chroma, and chroma has half the size. Only one stream at a time may use an object.
class CudaCropSheet {
 public:
  /// @param grid  has at most kMostCrops places
  explicit CudaCropSheet(CropGrid grid);

  /// Returns the layout of a sheet.
  [[nodiscard]] static constexpr StreamLayout layout(CropGrid grid) {
    return {grid.size(), {.semi_planar = true}, {}};
  }

  /// Fills in SheetWork::sheet and SheetWork::black for frames of this colour and size.
  void describe(const ColorInfo& color, Size frame, SheetWork& work) const;

  /// Enqueues the drawing of all places. Can be captured.
  /// @param frames  the layout of the frame that the work describes
  void enqueue(const SheetWork* work, const StreamLayout& frames, cuda::StreamView stream) const;

 private:
  CropGrid grid_;
  cuda::DeviceBuffer<std::byte> samples_;
};

/// Enqueues the search for the score of each face: the highest score of the candidates that fit the
/// face (fits_face()), 0 if there are none. Can be captured.
void enqueue_sheet_scores(const SheetWork* work, const cuda::DeviceDetections& found,
                          SheetScores* scores, cuda::StreamView stream);

}  // namespace facepipe::detector
