// All that is done to one frame on the device, captured once: from its surface to candidates, faces
// and drawings on the same surface.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "detector/cuda_detector.h"
#include "nms/cuda/suppressor.h"
#include "overlay/cuda/overlay.h"
#include "pipeline/cuda/descriptor.h"
#include "pipeline/cuda/faces.h"
#include "pipeline/job.h"
#include "video/cuda/pictures.h"

namespace facepipe {

/// What is the same for all frames of a job.
struct FrameGraphSetup {
  std::shared_ptr<const CudaDetector> detector;
  CudaOverlaySetup overlay;  ///< no style: nothing is drawn
  NmsOptions nms;
  FaceSizes sizes;
  FaceFields to_host = FaceFields::none;
  bool times_stages = false;  ///< events between the stages; they cost some time
  cuda::Event::Wait wait = cuda::Event::Wait::spinning;  ///< in FrameGraph::wait()
};

/// One place for a frame in flight: its own stream, memory and graph. Nothing is allocated after
/// construction. Bound to the device current at construction; used by one thread at a time.
class FrameGraph {
 public:
  /// Errors: Error(device).
  explicit FrameGraph(const FrameGraphSetup& setup);

  /// Enqueues all of it behind Frame::ready and returns. The frame must live until wait().
  void launch(const Frame& frame, CopyCounter& copies);

  /// Waits until it has happened. Errors: Error(device).
  void wait();

  /// Of the frame that was waited for: record.candidates, face_count, faces and times.
  /// `launched` is when launch() was called, `seen` when wait() returned.
  void fill(FrameRecord& record, Clock::time_point launched, Clock::time_point seen,
            CopyCounter& copies);

  [[nodiscard]] const FaceCounts& counts() const { return download_.counts(); }

 private:
  enum Mark { begun, preprocessed, inferred, suppressed, drawn };
  static constexpr std::size_t kMarks = 5;

  void enqueue();
  void mark(Mark which);
  void suppress();
  void fill_times(FrameTimes& times, Clock::time_point launched, Clock::time_point seen) const;

  FrameGraphSetup setup_;
  cuda::Stream stream_;
  std::unique_ptr<CudaDetection> detection_;
  CudaSuppressor suppressor_;
  cuda::DeviceBuffer<std::uint32_t> kept_;
  cuda::DeviceBuffer<std::uint32_t> kept_counts_;  ///< kept, beyond the capacity
  cuda::DeviceBuffer<Box> kept_boxes_;             ///< where moves_boxes()
  cuda::DeviceBuffer<float> kept_scores_;          ///< where changes_scores()
  cuda::DetectionBuffers faces_;
  cuda::DeviceBuffer<FaceCounts> counts_;
  CudaOverlay overlay_;
  DescriptorUpload descriptor_;
  FacesDownload download_;
  std::array<cuda::Event, kMarks> marks_;
  cuda::Event done_;
  std::unique_ptr<cuda::GraphExec> graph_;
};

}  // namespace facepipe
