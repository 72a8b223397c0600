// Draws faces on pictures in device memory with what the host alone knows of them: their tracks.
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

/// Used by one thread. Bound to the device current at construction.
class FaceDrawing {
 public:
  /// `copies` must outlive it. Errors: as CudaOverlay.
  FaceDrawing(const overlay::CudaOverlaySetup& setup, CopyCounter& copies);
  ~FaceDrawing();
  FaceDrawing(const FaceDrawing&) = delete;
  FaceDrawing& operator=(const FaceDrawing&) = delete;

  /// As draw_overlay(), behind Frame::ready, which then tells when it is drawn. Faces and tracks
  /// are read meanwhile; they go to the device in one copy. Errors: Error(device); Error(internal)
  /// for more faces than were said, and for tracks of only some of them.
  void draw(Frame& frame, const Detections& faces, std::span<const std::int64_t> tracks);

 private:
  struct Place;  // of a frame that is drawn

  const overlay::OverlayStyle style_;
  CopyCounter& copies_;
  cuda::Stream stream_;
  overlay::CudaOverlay overlay_;
  video::Pool<Place> places_;
};

}  // namespace facepipe::pipeline
