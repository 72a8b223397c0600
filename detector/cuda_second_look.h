// Second looks (detector/second_look.h) at frames in device memory.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/color.h"
#include "core/copies.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/geometry.h"
#include "detector/cnn/cuda/crop_sheet.h"
#include "detector/cuda_detector.h"

namespace facepipe::detector {

/// Draws the crops of the faces of a frame into a sheet, and searches the sheet, on a CUDA device.
/// There are sheets of several sizes; each one has a graph. Belongs to the device of the factory.
/// Not thread-safe.
class CudaSecondLook {
 public:
  /// Returns nullptr if second looks don't suit the model, as SecondLook::make() does, or if the
  /// detector searches each frame in another way (CudaDetector::phases()), as with turned looks.
  /// Errors: Error(device).
  /// @param detectors  must outlive the result
  /// @param frames     the layout of all frames
  [[nodiscard]] static std::unique_ptr<CudaSecondLook> make(const CudaDetectorFactory& detectors,
                                                            const StreamLayout& frames);
  ~CudaSecondLook();
  CudaSecondLook(const CudaSecondLook&) = delete;
  CudaSecondLook& operator=(const CudaSecondLook&) = delete;

  /// Does the same as SecondLook::scores_of(). The scores differ a little, because CudaCropSheet
  /// draws other pictures. Waits for the device. Make stream() wait for the frame before.
  /// @param frame  a descriptor whose addresses and strides are filled in
  /// @param color  of the frame
  /// @param faces  in pixels of the upright frame, not empty; they meet the picture
  [[nodiscard]] std::vector<float> scores_of(const FrameDescriptor& frame, const ColorInfo& color,
                                             std::span<const Box> faces, CopyCounter& copies);

  /// Returns the stream of all work. It is urgent, because the thread that follows faces waits.
  [[nodiscard]] cuda::StreamView stream() const { return stream_; }

 private:
  class Sheet;
  // More faces need several sheets, one after the other. Larger sheets take hardly more time.
  static constexpr std::array<CropGrid, 3> kGrids{CropGrid{2, 2}, CropGrid{4, 2}, CropGrid{4, 4}};
  static_assert(kGrids.back().places() == kMostCrops);

  CudaSecondLook(const CudaDetectorFactory& detectors, const StreamLayout& frames);
  [[nodiscard]] Sheet& sheet_for(std::size_t faces);

  const CudaDetectorFactory& detectors_;
  const StreamLayout frames_;
  cuda::Stream stream_{cuda::Stream::Priority::urgent};
  std::array<std::unique_ptr<Sheet>, kGrids.size()> sheets_;  // null until it is needed
};

}  // namespace facepipe::detector
