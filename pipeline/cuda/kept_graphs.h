// Frame graphs kept from one job to the next: making one plans a network, loads its weights and
// captures the graph, which takes a hundred times as long as a frame.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/permit_pool.h"
#include "core/recently_used.h"
#include "pipeline/cuda/frame_graph.h"

namespace facepipe::pipeline {

/// All that frame graphs are made by, a member for each fact. Graphs of two equal keys do the same.
struct GraphKey {
  StreamLayout layout;
  overlay::OverlayStyle style;
  nms::NmsOptions nms;
  FaceSizes sizes;
  FaceFields to_host = FaceFields::none;
  std::optional<FollowedScores> follow;
  bool times_stages = false;
  detector::Tuning tuning = detector::Tuning::none;
  int places = 1;                                        ///< graphs in the set
  cuda::Event::Wait wait = cuda::Event::Wait::spinning;  ///< for the end of a frame

  friend bool operator==(const GraphKey&, const GraphKey&) = default;
};

/// The graphs of frames in flight at once, of one kind.
struct GraphSet {
  std::shared_ptr<const detector::CudaDetector> detector;
  std::vector<std::unique_ptr<FrameGraph>> graphs;
  PermitPool places{0};  ///< one for each of `graphs`, by number
};

/// Keeps the sets that were used last: the last one, and others in no more than a quarter of the
/// device's memory with it. A set that is let go lives on where it is in use. Used by one thread;
/// bound to one device, which is current.
class KeptGraphs {
 public:
  using Make = std::function<std::shared_ptr<GraphSet>()>;

  /// The set of that key: a kept one, or a new one by `make`. Errors: as `make`.
  [[nodiscard]] std::shared_ptr<GraphSet> get(const GraphKey& key, const Make& make);

 private:
  RecentlyUsed<GraphKey, std::shared_ptr<GraphSet>> kept_;
};

}  // namespace facepipe::pipeline
