// A network planned for one size on one device: f16, channels innermost, weights packed once,
// activations in one block of memory that many frames can have each of their own.
//
// This is the generic plan: an operator a node. What computes several nodes at once becomes a node
// of its own by a pass over the graph (detector/cnn/model/graph/passes.h) and an operator that
// takes it (operators/operator.h); nothing here changes.
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

namespace facepipe::engine {

/// An output: a map of floats, of which Placement::pending is still to be applied.
struct NetworkOutput {
  std::string name;
  Placement place;
};

/// Immutable after construction, hence thread-safe. Bound to the device current at construction.
class Network {
 public:
  enum class Reuse {
    memory,   ///< values share memory whose lifetimes don't meet
    nothing,  ///< every value stays until the next run: for tests that look at all of them
  };

  /// `graph`'s shapes are inferred; graph::optimise() makes it fast. Errors: device, naming file,
  /// node and operator, for what the engine can't compute, and where CUDA fails. Waits for the
  /// upload of the weights.
  /// `picture`: what the input is made of, where the network may read it itself.
  explicit Network(const graph::Graph& graph, Reuse reuse = Reuse::memory,
                   const PictureSource* picture = nullptr);
  /// The same, of the ways to do it that `tiles` chooses.
  Network(const graph::Graph& graph, Reuse reuse, const PictureSource* picture, TileChooser& tiles);

  /// Enqueues a run on `activations`, activation_bytes() long and aligned to 256 bytes, whose part
  /// input() the caller has filled; or, where reads_picture(), on `frame`, which is in device
  /// memory and read when the work runs. Nothing is allocated, nothing waited for. Throws
  /// std::invalid_argument for a null frame that is to be read.
  void enqueue(std::byte* activations, cuda::StreamView stream,
               const FrameDescriptor* frame = nullptr) const;

  /// A Stem reads the frame, and input() stays as it is: where a picture was given that isn't to be
  /// scaled.
  [[nodiscard]] bool reads_picture() const { return picture_.has_value(); }

  [[nodiscard]] const Placement& input() const { return input_; }
  [[nodiscard]] const std::vector<NetworkOutput>& outputs() const { return outputs_; }
  [[nodiscard]] std::size_t activation_bytes() const { return activation_bytes_; }
  [[nodiscard]] std::size_t weight_bytes() const { return weights_.size(); }

  /// Where a value of the graph lies.
  [[nodiscard]] const Placement& place(graph::ValueId value) const {
    return places_[static_cast<std::size_t>(value)];
  }

  /// Steps of the plan in order, to be timed or looked at one by one.
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

}  // namespace facepipe::engine
