// A network planned for one input size on one device: f16, channels innermost, weights packed once.
// The activations of a frame are one block of memory; each frame in flight has a block of its own.
//
// The plan has one operator for each node. A kernel that computes several nodes at once needs no
// change here: a pass over the graph (detector/cnn/model/graph/passes.h) fuses the nodes to one
// node, and an operator (operators/operator.h) computes it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "detector/cnn/cuda/operators/operator.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// An output: a map of floats, to which Placement::pending is still to be applied.
struct NetworkOutput {
  std::string name;
  Placement place;
};

/// Immutable after construction, hence thread-safe. Bound to the device current at construction.
class Network {
 public:
  enum class Reuse {
    memory,   ///< values whose lifetimes don't overlap share memory
    nothing,  ///< every value has memory of its own: for tests that read all values
  };

  /// The shapes of `graph` must have been inferred; graph::optimise() should have been called.
  /// `picture`: the picture from which the input is made, if the network may read it itself. Waits
  /// for the upload of the weights. Errors: device, naming file, node and operator, for a node that
  /// the engine can't compute; device, if CUDA fails.
  explicit Network(const graph::Graph& graph, Reuse reuse = Reuse::memory,
                   const PictureSource* picture = nullptr);
  /// The same, with tiles that `tiles` chooses.
  Network(const graph::Graph& graph, Reuse reuse, const PictureSource* picture, TileChooser& tiles);

  /// Enqueues a run. `activations` has activation_bytes() and is aligned to 256 bytes. The caller
  /// has filled its part input(); or, if reads_picture() is true, the network reads `frame`, which
  /// is in device memory and is read when the work runs. Neither allocates nor waits. Throws
  /// std::invalid_argument if `frame` is needed and null.
  void enqueue(std::byte* activations, cuda::StreamView stream,
               const FrameDescriptor* frame = nullptr) const;

  /// Whether the network's stem reads the frame itself, and not input(). That is so if the
  /// constructor got a picture that needs no scaling, and only a Stem reads the input.
  [[nodiscard]] bool reads_picture() const { return picture_.has_value(); }

  [[nodiscard]] const Placement& input() const { return input_; }
  [[nodiscard]] const std::vector<NetworkOutput>& outputs() const { return outputs_; }
  [[nodiscard]] std::size_t activation_bytes() const { return activation_bytes_; }
  [[nodiscard]] std::size_t weight_bytes() const { return weights_.size(); }

  /// The placement of a value of the graph.
  [[nodiscard]] const Placement& place(graph::ValueId value) const {
    return places_[static_cast<std::size_t>(value)];
  }

  /// The steps of the plan in their order, to be timed or examined one by one.
  struct Step {
    std::string name;  ///< the node's
    std::string op;    ///< its operator
    std::unique_ptr<Operator> run;
  };
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  void enqueue_step(const Step& step, std::byte* activations, cuda::StreamView stream,
                    const FrameDescriptor* frame = nullptr) const;

 private:
  void plan(const graph::Graph& graph, Reuse reuse, const PictureSource* picture,
            TileChooser& tiles);
  void plan_values(const graph::Graph& graph, Reuse reuse);
  void plan_steps(const graph::Graph& graph, TileChooser& tiles);

  std::optional<PictureSource> picture_;
  std::vector<Placement> places_;
  Placement input_;
  std::vector<NetworkOutput> outputs_;
  std::vector<Step> steps_;
  std::size_t activation_bytes_ = 0;
  cuda::DeviceBuffer<std::byte> weights_;
};

}  // namespace facepipe::detector::engine
