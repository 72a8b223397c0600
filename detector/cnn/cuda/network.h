// Plans a network for one input size on one device. The network computes in f16, with channels
// innermost, and its weights are packed once. The activations of a frame are one block of memory;
// each frame in flight has its own block.
//
// The plan has one operator for each node. A kernel that computes several nodes at once needs no
// change here: a pass over the graph (detector/cnn/model/graph/passes.h) fuses the nodes into one
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

/// Describes an output: a map of floats. The activation Placement::pending must still be applied to
/// it.
struct NetworkOutput {
  std::string name;
  Placement place;
};

/// Immutable after construction, hence thread-safe. Belongs to the device that was current at
/// construction.
class Network {
 public:
  enum class Reuse {
    memory,   ///< values whose lifetimes don't overlap share memory
    nothing,  ///< every value has memory of its own, for tests that read all values
  };

  /// The shapes of `graph` must have been inferred; graph::optimise() should have been called.
  /// `picture` describes the picture from which the input is made; it is null if the network must
  /// not read the picture itself. The constructor waits for the upload of the weights. Throws
  /// Error(device), naming file, node and operator, for a node that the engine can't compute.
  /// Throws Error(device) if CUDA fails.
  explicit Network(const graph::Graph& graph, Reuse reuse = Reuse::memory,
                   const PictureSource* picture = nullptr);
  /// Does the same with tiles that `tiles` chooses.
  Network(const graph::Graph& graph, Reuse reuse, const PictureSource* picture, TileChooser& tiles);

  /// Enqueues a run. `activations` has activation_bytes() and is aligned to 256 bytes. If
  /// reads_picture() is true, the network reads `frame`, which is in device memory, when the work
  /// runs. Otherwise the caller must have written the network's input, at input() in the
  /// activations. The function neither allocates nor waits. Throws Error(internal) if `frame` is
  /// needed and null.
  void enqueue(std::byte* activations, cuda::StreamView stream,
               const FrameDescriptor* frame = nullptr) const;

  /// Returns whether the network's stem reads the frame itself instead of input(). This is so if
  /// the constructor got a picture that needs no scaling, and only a Stem reads the input.
  [[nodiscard]] bool reads_picture() const { return picture_.has_value(); }

  [[nodiscard]] const Placement& input() const { return input_; }
  [[nodiscard]] const std::vector<NetworkOutput>& outputs() const { return outputs_; }
  [[nodiscard]] std::size_t activation_bytes() const { return activation_bytes_; }
  [[nodiscard]] std::size_t weight_bytes() const { return weights_.size(); }

  [[nodiscard]] const Placement& place(graph::ValueId value) const {
    return places_[static_cast<std::size_t>(value)];
  }

  /// Describes a step of the plan. Callers can measure or examine steps one by one.
  struct Step {
    std::string name;  ///< name of the node
    std::string op;    ///< name of its operator
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
