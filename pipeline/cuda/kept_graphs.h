// Frame graphs kept from one job to the next: making one plans a network, loads its weights and
// captures the graph, which takes a hundred times as long as a frame.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "core/slots.h"
#include "pipeline/cuda/frame_graph.h"

namespace facepipe {

/// All that frame graphs are made by. Those of two equal keys do the same.
struct GraphKey {
  StreamLayout layout;
  OverlayStyle style;
  NmsOptions nms;
  FaceSizes sizes;
  bool with_faces = false;
  bool times_stages = false;
  Tuning tuning = Tuning::none;

  friend bool operator==(const GraphKey&, const GraphKey&) = default;
};

/// The graphs of frames in flight at once, of one kind.
struct GraphSet {
  std::shared_ptr<const CudaDetector> detector;
  std::vector<std::unique_ptr<FrameGraph>> graphs;
  Slots places{0};  ///< one for each of `graphs`, by number
};

/// Keeps the sets that were used last, in no more than a quarter of the device's memory together.
/// Sets in use are never let go. Used by one thread; bound to one device, which is current.
class KeptGraphs {
 public:
  using Make = std::function<std::shared_ptr<GraphSet>()>;

  /// The set of that key: a kept one, or a new one by `make`. Errors: as `make`.
  [[nodiscard]] std::shared_ptr<GraphSet> get(const GraphKey& key, const Make& make);

 private:
  struct Entry {
    GraphKey key;
    std::shared_ptr<GraphSet> set;
    std::size_t bytes = 0;
  };

  [[nodiscard]] Entry make_entry(const GraphKey& key, const Make& make);
  void let_go(std::size_t bytes);

  std::list<Entry> kept_;  // last used first
  std::size_t most_bytes_ = 0;
};

}  // namespace facepipe
