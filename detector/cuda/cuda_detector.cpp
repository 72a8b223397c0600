#include "detector/cuda/cuda_detector.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>
#include <vector>

#include "core/error.h"
#include "detector/cuda/fusion.h"
#include "detector/graph/onnx_import.h"
#include "detector/graph/passes.h"

namespace facepipe {
namespace {

const CudaDetectorOptions& checked(const CudaDetectorOptions& options) {
  if (!(options.score_threshold >= 0 && options.score_threshold <= 1))
    throw Error(ErrorKind::usage, "score threshold: must be 0..1");
  if (options.capacity < 1)
    throw Error(ErrorKind::usage, "candidates of a frame: room for at least one is needed");
  return options;
}

graph::Graph planned_graph(const Model& model, Size network) {
  graph::Graph graph = graph::import_onnx(model.onnx(network), model.file().string());
  graph::optimise(graph, network);
  engine::fuse(graph, engine::current_chip());
  return graph;
}

engine::Network planned_network(const Model& model, Size size, const std::filesystem::path& file,
                                PlanReport& report) {
  const auto begin = std::chrono::steady_clock::now();
  engine::TileChooser tiles =
      file.empty() ? engine::TileChooser() : engine::TileChooser(engine::current_chip(), file);
  engine::Network network(planned_graph(model, size), engine::Network::Reuse::memory, tiles);
  tiles.save();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  report = {time.count(), tiles.trials(), tiles.remembered()};
  spdlog::debug("detector: planned in {:.0f} ms, tiles of {} operators tried, of {} remembered",
                report.milliseconds, report.tried, report.remembered);
  return network;
}

/// In the order in which heads read them.
std::vector<engine::NetworkOutput> in_head_order(const Model& model,
                                                 const std::vector<engine::NetworkOutput>& all) {
  std::vector<engine::NetworkOutput> ordered;
  for (const ModelOutput& wanted : model.outputs())
    for (const engine::NetworkOutput& output : all)
      if (output.name == wanted.name) ordered.push_back(output);
  return ordered;
}

}  // namespace

CudaDetector::CudaDetector(const Model& model, const NetworkFit& fit, const StreamLayout& layout,
                           const CudaDetectorOptions& options)
    : options_(checked(options)),
      fit_(fit),
      network_(planned_network(model, fit.network, options.tile_file, plan_)),
      preprocess_(fit, layout, model.channel_order(), network_.input()),
      head_(model, fit, in_head_order(model, network_.outputs()), options.score_threshold) {}

std::size_t CudaDetector::detection_bytes() const {
  return network_.activation_bytes() + sizeof(std::uint32_t) * (head_.scratch_words() + 1) +
         options_.capacity * (sizeof(Box) + sizeof(float) + sizeof(Landmarks));
}

CudaDetection::CudaDetection(std::shared_ptr<const CudaDetector> detector)
    : detector_(std::move(detector)),
      activations_(detector_->network().activation_bytes()),
      scratch_(detector_->head().scratch_words()),
      boxes_(detector_->options().capacity),
      scores_(detector_->options().capacity),
      landmarks_(detector_->options().capacity),
      count_(1) {}

void CudaDetection::enqueue(const FrameDescriptor* frame, cuda::StreamView stream) {
  enqueue_preprocess(frame, stream);
  enqueue_network(stream);
  enqueue_head(stream);
}

void CudaDetection::enqueue_preprocess(const FrameDescriptor* frame, cuda::StreamView stream) {
  detector_->preprocess().enqueue(frame, activations_.data(), stream);
}

void CudaDetection::enqueue_network(cuda::StreamView stream) {
  detector_->network().enqueue(activations_.data(), stream);
}

void CudaDetection::enqueue_head(cuda::StreamView stream) {
  detector_->head().enqueue(activations_.data(), scratch_.span(), candidates(), stream);
}

cuda::DeviceDetections CudaDetection::candidates() const {
  return {boxes_.data(), scores_.data(), landmarks_.data(), count_.data(),
          detector_->options().capacity};
}

}  // namespace facepipe
