#include "detector/cnn/cuda/cnn_detector.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "detector/cnn/cuda/fusion.h"
#include "detector/cnn/cuda/operators/operator.h"
#include "detector/cnn/cuda/pyramid_head.h"
#include "detector/cnn/cuda/tiled_detector.h"
#include "detector/cnn/model/graph/fuse_pyramid.h"
#include "detector/cnn/model/graph/onnx_import.h"
#include "detector/cnn/model/graph/passes.h"
#include "detector/model_file.h"

namespace facepipe::detector {
namespace {

const CudaCnnOptions& checked(const CudaCnnOptions& options) {
  if (!(options.score_threshold >= 0 && options.score_threshold <= 1))
    throw Error(ErrorKind::usage, "score threshold: must be from 0 to 1");
  if (options.capacity < 1)
    throw Error(ErrorKind::usage, "candidates of a frame: the capacity must be 1 or more");
  return options;
}

/// Returns the graph that the network computes. If the head computes the last layers, moves them to
/// `tail`.
graph::Graph planned_graph(const Model& model, Size network, const engine::Chip& chip, bool fused,
                           std::optional<graph::HeadTail>& tail) {
  graph::Graph graph = model.graph(network);
  graph::optimise(graph, network);
  if (!fused || !engine::fuse(graph, chip)) return graph;
  graph::Graph rest = graph;
  tail = graph::cut_head(rest);
  if (tail && engine::PyramidHead::fits(model, *tail)) return rest;
  tail.reset();
  return graph;
}

/// Returns the outputs in the order in which heads read them.
std::vector<engine::NetworkOutput> in_head_order(const Model& model,
                                                 const std::vector<engine::NetworkOutput>& all) {
  std::vector<engine::NetworkOutput> ordered;
  for (const ModelOutput& wanted : model.outputs())
    for (const engine::NetworkOutput& output : all)
      if (output.name == wanted.name) ordered.push_back(output);
  return ordered;
}

std::unique_ptr<const engine::CandidateHead> head_for(const Model& model, const NetworkFit& fit,
                                                      const std::optional<graph::HeadTail>& tail,
                                                      const engine::Network& network,
                                                      float threshold) {
  if (tail)
    return std::make_unique<engine::PyramidHead>(model, fit, *tail, network.place(tail->coarse),
                                                 network.place(tail->fine), threshold);
  return std::make_unique<engine::HeadKernels>(
      model.head(), fit, in_head_order(model, network.outputs()), threshold, model.file().string());
}

/// Returns `lent` if it is large enough; otherwise new memory.
LentMemory memory_of(std::size_t bytes, const LentMemory& lent) {
  if (lent && lent->size() >= bytes) return lent;
  return std::make_shared<const cuda::DeviceBuffer<std::byte>>(bytes);
}

}  // namespace

CudaCnnDetector::CudaCnnDetector(const Model& model, const NetworkFit& fit,
                                 const StreamLayout& layout, const CudaCnnOptions& options)
    : options_(checked(options)),
      fit_(fit),
      fields_{model.head().landmarks, model.head().numbers.classes > 1},
      picture_{fit, layout, model.channel_order(), model.data().input.pad},
      network_(planned_network(model)),
      preprocess_(picture_, network_.input()),
      head_(head_for(model, fit, tail_, network_, options.score_threshold)) {}

engine::Network CudaCnnDetector::planned_network(const Model& model) {
  const auto begin = std::chrono::steady_clock::now();
  const engine::Chip chip = engine::current_chip();
  const bool tries = options_.tries_tiles && !options_.tile_file.empty();
  engine::TileChooser tiles(chip, options_.tile_file,
                            tries ? engine::UnknownTiles::tried : engine::UnknownTiles::first,
                            tries ? &engine::TileMemory::of_process() : nullptr);
  // A stem that reads the picture itself pads it with black, so it may do this only if `pad` is 0.
  engine::Network network(planned_graph(model, fit_.network, chip, options_.fused, tail_),
                          engine::Network::Reuse::memory, picture_.pad == 0 ? &picture_ : nullptr,
                          tiles);
  tiles.save();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  plan_ = {time.count(), tiles.trials(), tiles.remembered()};
  // If tiles were measured, planning took seconds. Then the user must see the reason in the log.
  spdlog::log(plan_.tried > 0 ? spdlog::level::info : spdlog::level::debug,
              "detector: planned in {:.0f} ms, tiles of {} operators tried, of {} remembered",
              plan_.milliseconds, plan_.tried, plan_.remembered);
  return network;
}

std::unique_ptr<CudaDetection> CudaCnnDetector::make_detection() const {
  return make_detection_in(nullptr);
}

std::unique_ptr<CudaDetection> CudaCnnDetector::make_detection_in(const LentMemory& lent) const {
  return std::make_unique<CudaCnnDetection>(shared_from_this(), lent);
}

std::size_t CudaCnnDetector::detection_bytes() const {
  return network_.activation_bytes() + sizeof(std::uint32_t) * (head_->scratch_words() + 2) +
         options_.capacity *
             (sizeof(Box) + sizeof(float) + (fields_.landmarks ? sizeof(Landmarks) : 0) +
              (fields_.classes ? sizeof(std::uint16_t) : 0));
}

CudaCnnDetection::CudaCnnDetection(std::shared_ptr<const CudaCnnDetector> detector,
                                   const LentMemory& lent)
    : detector_(std::move(detector)),
      activations_(memory_of(detector_->network().activation_bytes(), lent)),
      scratch_(detector_->head().scratch_words()),
      found_(detector_->capacity(), detector_->fields()) {}

void CudaCnnDetection::enqueue_preprocess(const FrameDescriptor* frame, cuda::StreamView stream) {
  if (!detector_->network().reads_picture())
    detector_->preprocess().enqueue(frame, activations_->data(), stream);
}

void CudaCnnDetection::enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) {
  enqueue_network(frame, stream);
  enqueue_head(stream);
}

void CudaCnnDetection::enqueue_network(const FrameDescriptor* frame, cuda::StreamView stream) {
  detector_->network().enqueue(activations_->data(), stream, frame);
}

void CudaCnnDetection::enqueue_head(cuda::StreamView stream) {
  detector_->head().enqueue(activations_->data(), scratch_.span(), candidates(), stream);
}

cuda::DeviceDetections CudaCnnDetection::candidates() const { return found_.view(); }

std::shared_ptr<const CudaDetector> make_cuda_cnn_detector(const Model& model,
                                                           const StreamLayout& layout,
                                                           const std::optional<Size>& detect_size,
                                                           const CudaCnnOptions& options) {
  const Size picture = upright_size(layout.stored, layout.orientation);
  const int multiple = model.data().input.multiple;
  const std::optional<Tiling> tiling = tiling_for(picture, detect_size, multiple);
  const auto make = [&](const NetworkFit& fit) {
    StreamLayout part = layout;
    part.stored = upright_size(fit.frame, layout.orientation);  // upright_size() is its own inverse
    return std::make_shared<const CudaCnnDetector>(model, fit, part, options);
  };
  if (!tiling) return make(fit_network(picture, detect_size, multiple));
  auto whole = make(tiling->whole);
  return make_cuda_tiled_detector(*tiling, layout, make(tiling->tile), std::move(whole));
}

void engine::refuse_boxes(const Model& model) {
  const graph::Graph graph = model.graph(model.data().input.size.value_or(Size{}));
  for (const graph::Node& node : graph.nodes)
    if (std::holds_alternative<graph::RowOperator>(node.op) ||
        std::holds_alternative<graph::Reshape>(node.op) ||
        std::holds_alternative<graph::Transpose>(node.op))
      refuse_node(graph, node, "the CUDA engine has no kernel for it");
  refuse_model(
      model.file(),
      "the CUDA engine doesn't read boxes that a network decodes itself; --device cpu does");
}

}  // namespace facepipe::detector
