#include "detector/cnn/model/model.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "detector/cnn/model/fold_pointwise.h"
#include "detector/cnn/model/graph/onnx_check.h"
#include "detector/cnn/model/sha256.h"

namespace facepipe {
namespace {

constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30;
constexpr int kImageChannels = 3;
constexpr int kImageRank = 4;
constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;
// Any size that all strides divide: shapes are checked with it.
constexpr Size kTrial{128, 64};

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& reason) {
  throw Error(ErrorKind::device, "model " + file.string() + ": " + reason);
}

std::string read_bytes(const std::filesystem::path& file) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (!std::filesystem::exists(status)) refuse(file, "no such file");
  if (!std::filesystem::is_regular_file(status)) refuse(file, "not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  if (failure) refuse(file, failure.message());
  if (size == 0) refuse(file, "empty file");
  if (size > kLargestFile) refuse(file, "larger than 1 GiB");
  std::string bytes(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size))) refuse(file, "can't be read");
  return bytes;
}

std::shared_ptr<onnx::ModelProto> parse(const std::filesystem::path& file,
                                        const std::string& bytes) {
  auto proto = std::make_shared<onnx::ModelProto>();
  if (!proto->ParseFromString(bytes) || !proto->has_graph() || proto->graph().node_size() == 0)
    refuse(file, "no ONNX model");
  for (const onnx::TensorProto& weights : proto->graph().initializer())
    if (weights.data_location() == onnx::TensorProto::EXTERNAL)
      refuse(file, "its weights stand in other files, which is not supported");
  return proto;
}

/// Extents of a tensor; -1 where the file leaves one open. Empty for anything but float tensors.
std::vector<std::int64_t> float_shape(const onnx::ValueInfoProto& value) {
  const onnx::TypeProto::Tensor& tensor = value.type().tensor_type();
  if (tensor.elem_type() != onnx::TensorProto::FLOAT) return {};
  std::vector<std::int64_t> shape;
  for (const auto& extent : tensor.shape().dim()) {
    if (extent.dim_value() > kLargestExtent) return {};
    shape.push_back(extent.has_dim_value() && extent.dim_value() > 0 ? extent.dim_value() : -1);
  }
  return shape;
}

/// The one input that is no weight (old files list their weights as inputs too), if it can take a
/// picture of three planes.
const onnx::ValueInfoProto* find_image_input(const onnx::GraphProto& graph) {
  std::set<std::string_view> weights;
  for (const onnx::TensorProto& tensor : graph.initializer()) weights.insert(tensor.name());
  const onnx::ValueInfoProto* image = nullptr;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (weights.contains(input.name())) continue;
    if (image != nullptr) return nullptr;
    image = &input;
  }
  if (image == nullptr) return nullptr;
  const std::vector<std::int64_t> shape = float_shape(*image);
  return shape.size() == kImageRank && shape[1] == kImageChannels ? image : nullptr;
}

/// False where the file states both extents and they are not in this ratio.
bool may_have_stride(std::int64_t image, std::int64_t map, int stride) {
  return image < 0 || map < 0 || image == map * stride;
}

std::optional<std::vector<ModelOutput>> match_centerface(const onnx::GraphProto& graph,
                                                         const std::vector<std::int64_t>& image) {
  constexpr std::array kChannels{1, 2, 2, 10};
  constexpr int kStride = 4;
  if (graph.output_size() != static_cast<int>(kChannels.size())) return std::nullopt;
  std::vector<ModelOutput> outputs;
  for (const int channels : kChannels) {
    const onnx::ValueInfoProto& output = graph.output(static_cast<int>(outputs.size()));
    const std::vector<std::int64_t> shape = float_shape(output);
    if (shape.size() != kImageRank || shape[1] != channels) return std::nullopt;
    if (!may_have_stride(image[2], shape[2], kStride)) return std::nullopt;
    if (!may_have_stride(image[3], shape[3], kStride)) return std::nullopt;
    outputs.push_back({output.name(), channels, kStride});
  }
  return outputs;
}

bool has_cells(const onnx::GraphProto& graph, const ModelOutput& wanted,
               const std::vector<std::int64_t>& image) {
  constexpr std::size_t kCellRank = 3;
  for (const onnx::ValueInfoProto& output : graph.output()) {
    if (output.name() != wanted.name) continue;
    const std::vector<std::int64_t> shape = float_shape(output);
    if (shape.size() != kCellRank || shape[2] != wanted.channels) return false;
    if (image[2] < 0 || image[3] < 0 || shape[1] < 0) return true;
    return shape[1] == (image[2] / wanted.stride) * (image[3] / wanted.stride);
  }
  return false;
}

std::optional<std::vector<ModelOutput>> match_yunet(const onnx::GraphProto& graph,
                                                    const std::vector<std::int64_t>& image) {
  constexpr std::array<std::pair<std::string_view, int>, 4> kHeads{
      {{"cls_", 1}, {"obj_", 1}, {"bbox_", 4}, {"kps_", 10}}};
  std::vector<ModelOutput> outputs;
  for (const int stride : {8, 16, 32})
    for (const auto& [prefix, channels] : kHeads)
      outputs.push_back({std::string(prefix) + std::to_string(stride), channels, stride});
  if (graph.output_size() != static_cast<int>(outputs.size())) return std::nullopt;
  for (const ModelOutput& output : outputs)
    if (!has_cells(graph, output, image)) return std::nullopt;
  return outputs;
}

/// CenterFace: planes of cells. YuNet: cells of channels.
std::vector<std::int64_t> output_extents(ModelKind kind, const ModelOutput& output, Size network) {
  const int rows = network.height / output.stride;
  const int columns = network.width / output.stride;
  if (kind == ModelKind::centerface) return {1, output.channels, rows, columns};
  return {1, std::int64_t{rows} * columns, output.channels};
}

void set_shape(onnx::ValueInfoProto& value, const std::vector<std::int64_t>& extents) {
  onnx::TensorShapeProto& shape = *value.mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.clear_dim();
  for (const std::int64_t extent : extents) shape.add_dim()->set_dim_value(extent);
}

}  // namespace

std::string_view to_string(ModelKind kind) {
  return kind == ModelKind::centerface ? "centerface" : "yunet";
}

Model::Model(const std::filesystem::path& file) : file_(file) {
  const std::string bytes = read_bytes(file);
  const std::shared_ptr<onnx::ModelProto> proto = parse(file, bytes);
  const onnx::GraphProto& graph = proto->graph();
  const onnx::ValueInfoProto* image = find_image_input(graph);
  if (image == nullptr) refuse(file, "no known face model: its input is no picture of 3 planes");
  const std::vector<std::int64_t> shape = float_shape(*image);
  if (auto centerface = match_centerface(graph, shape)) {
    kind_ = ModelKind::centerface;
    outputs_ = std::move(*centerface);
  } else if (auto yunet = match_yunet(graph, shape)) {
    kind_ = ModelKind::yunet;
    outputs_ = std::move(*yunet);
  } else {
    refuse(file, "no known face model: its outputs are neither CenterFace's nor YuNet's");
  }
  input_ = image->name();
  sha256_ = sha256_hex(bytes);
  check_outputs(graph::check_onnx(*proto, file.string(), kTrial));
  fold_pointwise_pairs(*proto->mutable_graph());
  proto_ = proto;
}

void Model::check_outputs(const graph::Graph& graph) const {
  for (const ModelOutput& output : outputs_) {
    const auto computed =
        std::find_if(graph.outputs.begin(), graph.outputs.end(),
                     [&](const graph::Output& other) { return other.name == output.name; });
    const bool fits = computed != graph.outputs.end() &&
                      graph.value(computed->value).extents == output_extents(kind_, output, kTrial);
    if (!fits) refuse(file_, "its output " + output.name + " has another shape than it says");
  }
}

ChannelOrder Model::channel_order() const {
  return kind_ == ModelKind::centerface ? ChannelOrder::rgb : ChannelOrder::bgr;
}

std::string Model::onnx(Size network) const {
  ::onnx::ModelProto sized = *proto_;
  ::onnx::GraphProto& graph = *sized.mutable_graph();
  for (auto& input : *graph.mutable_input())
    if (input.name() == input_)
      set_shape(input, {1, kImageChannels, network.height, network.width});
  // What the file says of inner shapes holds for its own size only; engines infer them. Outputs
  // must have a shape, or OpenCV refuses the file.
  graph.clear_value_info();
  for (const ModelOutput& output : outputs_)
    for (auto& value : *graph.mutable_output())
      if (value.name() == output.name) set_shape(value, output_extents(kind_, output, network));
  return sized.SerializeAsString();
}

}  // namespace facepipe
