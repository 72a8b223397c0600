// Keeps frame graphs from one job to the next. Making a graph takes a hundred times as long as the
// work on a frame: a network is planned, its weights are loaded, and the graph is captured.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/permit_pool.h"
#include "core/recently_used.h"
#include "pipeline/cuda/frame_graph.h"

namespace facepipe::pipeline {

/// Describes the graphs of a set. Graphs with equal keys do the same work. The key has a member for
/// each fact on which the graphs depend.
struct GraphKey {
  StreamLayout layout;
  overlay::OverlayStyle style;
  nms::NmsOptions nms;
  ClassRules classes;
  FaceSizes sizes;
  FaceDownload to_host = FaceDownload::none;
  std::optional<FollowScores> follow;
  int turned_too = 0;  ///< HideJob::turned_too
  bool times_stages = false;
  detector::Tuning tuning = detector::Tuning::none;
  int places = 1;                                        ///< graphs in the set
  cuda::Event::Wait wait = cuda::Event::Wait::spinning;  ///< how FrameGraph::wait() waits

  friend bool operator==(const GraphKey&, const GraphKey&) = default;
};

/// Graphs with the same key: one for each frame that is in flight at the same time.
struct GraphSet {
  std::shared_ptr<const detector::CudaDetector> detector;
  std::vector<std::unique_ptr<FrameGraph>> graphs;
  PermitPool places{0};  ///< a permit's number is the index of its graph in `graphs`
};

/// Keeps the most recently used sets: the last set, and further sets as long as all sets together
/// take at most a quarter of the device's memory. A set that isn't kept any more lives until its
/// last user releases it. Used by one thread. Bound to one device, which must be current.
class KeptGraphs {
 public:
  using Make = std::function<std::shared_ptr<GraphSet>()>;

  /// Returns the kept set with this key, or a new set from `make`. Errors: as `make`.
  [[nodiscard]] std::shared_ptr<GraphSet> get(const GraphKey& key, const Make& make);

 private:
  RecentlyUsed<GraphKey, std::shared_ptr<GraphSet>> kept_;
};

}  // namespace facepipe::pipeline
