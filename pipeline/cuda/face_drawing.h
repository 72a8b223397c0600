// Draws faces and their tracks on pictures in device memory. Only the host knows the tracks.
#pragma once

#include <cstdint>
#include <span>

#include "core/copies.h"
#include "core/cuda/stream.h"
#include "core/detections.h"
#include "core/frame.h"
#include "overlay/cuda/overlay.h"
#include "video/cuda/pool.h"

namespace facepipe::pipeline {

/// Used by one thread. Bound to the device that is current at construction.
class FaceDrawing {
 public:
  /// `copies` must outlive this object. Errors: as CudaOverlay.
  FaceDrawing(const overlay::CudaOverlaySetup& setup, CopyCounter& copies);
  ~FaceDrawing();
  FaceDrawing(const FaceDrawing&) = delete;
  FaceDrawing& operator=(const FaceDrawing&) = delete;

  /// Enqueues the same drawing as draw_overlay(). The drawing begins after Frame::ready. Sets
  /// Frame::ready to the event of the drawing's end. `faces` and `tracks` are read before this
  /// function returns, and go to the device in one copy. Errors: Error(device); Error(internal) for
  /// more faces than the setup allows, and if only some faces have tracks.
  void draw(Frame& frame, const Detections& faces, std::span<const std::int64_t> tracks);

 private:
  struct Place;  // the memory of a frame that is being drawn

  const overlay::OverlayStyle style_;
  CopyCounter& copies_;
  cuda::Stream stream_;
  overlay::CudaOverlay overlay_;
  video::Pool<Place> places_;
};

}  // namespace facepipe::pipeline
