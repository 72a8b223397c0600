#include "detector/cnn/model/model.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "core/files/sha256.h"
#include "core/limits.h"
#include "core/terminal_text.h"
#include "detector/cnn/model/box_rows.h"
#include "detector/cnn/model/canonical/canonical.h"
#include "detector/cnn/model/canonical/passes.h"
#include "detector/cnn/model/canonical/suppressions.h"
#include "detector/cnn/model/card/ignored_classes.h"
#include "detector/cnn/model/card/model_data.h"
#include "detector/cnn/model/card/recognition.h"
#include "detector/cnn/model/fold_pointwise.h"
#include "detector/cnn/model/graph/onnx_check.h"
#include "detector/cnn/model/graph/onnx_import.h"
#include "detector/cnn/model/map_outputs.h"
#include "detector/model_file.h"
#include "detector/options.h"

namespace facepipe::detector {
namespace {

constexpr int kImageChannels = 3;
constexpr int kImageRank = 4;
constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;
constexpr std::int64_t kLargestSide = kMaxPictureSide;
// Shapes are checked with this size. Any other size that all strides divide would do, too.
constexpr Size kTrial{128, 64};
// A larger picture is tiled (kLargestUntiled in detector/tiling.h).
constexpr Size kLargest{4096, 3072};

std::shared_ptr<onnx::ModelProto> parse(const std::filesystem::path& file,
                                        const std::string& bytes) {
  auto proto = std::make_shared<onnx::ModelProto>();
  if (!proto->ParseFromString(bytes) || !proto->has_graph() || proto->graph().node_size() == 0)
    refuse_model(file, "not an ONNX model");
  for (const onnx::TensorProto& weights : proto->graph().initializer())
    if (weights.data_location() == onnx::TensorProto::EXTERNAL)
      refuse_model(file, "its weights are in other files, which is not supported");
  return proto;
}

DeclaredTensor declared(const onnx::ValueInfoProto& value) {
  const onnx::TypeProto::Tensor& tensor = value.type().tensor_type();
  DeclaredTensor declared{value.name(), {}};
  if (tensor.elem_type() != onnx::TensorProto::FLOAT) return declared;
  for (const auto& extent : tensor.shape().dim()) {
    if (extent.dim_value() > kLargestExtent) return {value.name(), {}};
    declared.extents.push_back(extent.has_dim_value() && extent.dim_value() > 0 ? extent.dim_value()
                                                                                : -1);
  }
  return declared;
}

/// Returns the only input that is no weight, if it can take a picture of three planes. Old files
/// list their weights as inputs, too.
std::optional<DeclaredTensor> find_image_input(const onnx::GraphProto& graph) {
  std::set<std::string_view> weights;
  for (const onnx::TensorProto& tensor : graph.initializer()) weights.insert(tensor.name());
  const onnx::ValueInfoProto* image = nullptr;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (weights.contains(input.name())) continue;
    if (image != nullptr) return std::nullopt;
    image = &input;
  }
  if (image == nullptr) return std::nullopt;
  DeclaredTensor input = declared(*image);
  const bool fits = input.extents.size() == kImageRank && input.extents[1] == kImageChannels;
  return fits ? std::optional(std::move(input)) : std::nullopt;
}

/// Returns "neither CenterFace's nor YuNet's nor SCRFD's".
std::string of_none_of_them() {
  std::string text;
  for (const std::string& title : network_titles())
    text += (text.empty() ? "neither " : " nor ") + title + "'s";
  return text;
}

/// Describes a file whose outputs are those of a known model.
struct KnownFile {
  const ModelData* data = nullptr;
  std::vector<ModelOutput> outputs;
};

std::vector<DeclaredTensor> declared_outputs(const onnx::GraphProto& graph) {
  std::vector<DeclaredTensor> outputs;
  for (const onnx::ValueInfoProto& output : graph.output()) outputs.push_back(declared(output));
  return outputs;
}

std::optional<KnownFile> find_known(const onnx::GraphProto& graph, const DeclaredTensor& image) {
  const std::vector<DeclaredTensor> outputs = declared_outputs(graph);
  for (const ModelData* const known : known_models())
    if (auto found = find_outputs(known->head, image, outputs))
      return KnownFile{known, std::move(*found)};
  return std::nullopt;
}

/// Returns the file of the card beside a model, or an empty path if there is nothing of this name.
std::filesystem::path card_path_of(const std::filesystem::path& model) {
  std::error_code failure;
  const std::filesystem::path card = card_file(model);
  const bool is_there = std::filesystem::symlink_status(card, failure).type() !=
                        std::filesystem::file_type::not_found;
  return is_there ? card : std::filesystem::path();
}

void set_shape(onnx::ValueInfoProto& value, const std::vector<std::int64_t>& extents) {
  onnx::TensorShapeProto& shape = *value.mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.clear_dim();
  for (const std::int64_t extent : extents) shape.add_dim()->set_dim_value(extent);
}

/// Refuses an SCRFD whose file computes other activations than the decoder. The decoder reads the
/// maps before their activations.
void check_activations(const std::filesystem::path& file, const std::vector<LastMap>& maps) {
  for (const LastMap& map : maps) {
    const bool score = map.values == 1;
    if (map.sigmoid != score)
      refuse_model(
          file, "its output of " + shown_name(map.name) + " has another activation than SCRFD's");
  }
}

/// Returns the lowest score that objects of any class must exceed; none if the card has no scores.
/// A class without a score has the usual one.
std::optional<float> least_score(const Card& card) {
  bool any = card.score.has_value();
  float least = 1;
  for (const int i : wanted_classes(card)) {
    const CardClass& each = card.classes[static_cast<std::size_t>(i)];
    any = any || each.score;
    least = std::min(least,
                     each.score.value_or(card.score.value_or(DetectorOptions{}.score_threshold)));
  }
  return any ? std::optional(least) : std::nullopt;
}

}  // namespace

std::vector<std::string> network_titles() {
  std::vector<std::string> titles;
  for (const ModelData* const known : known_models()) titles.push_back(known->title);
  titles.emplace_back("SCRFD");
  titles.emplace_back("YOLO");
  return titles;
}

Model::Model(const std::filesystem::path& file, const std::filesystem::path& card,
             const std::vector<std::string>& classes)
    : file_(file) {
  const std::string bytes = read_model_file(file);
  const std::shared_ptr<onnx::ModelProto> proto = parse(file, bytes);
  const std::optional<DeclaredTensor> image = find_image_input(proto->graph());
  if (!image) refuse_model(file, "not a known face model: its input is not a picture of 3 planes");
  input_ = image->name;
  sha256_ = sha256_hex(bytes);
  card_file_ = card.empty() ? card_path_of(file) : card;
  read(*proto, *image, classes);
  Rewriting to(*proto, file.string());
  fold_pointwise_pairs(to);
  proto_ = proto;
  check_growth();
}

/// Sets the card, in which all classes except `classes` are ignored, unless `classes` is empty.
void Model::set_card(Card card, const std::vector<std::string>& classes) {
  for (CardClass& each : card.classes)
    if (!classes.empty() && std::ranges::find(classes, each.name) == classes.end())
      each.kind = ClassKind::ignore;
  if (wanted_classes(card).empty()) refuse_model(file_, "it finds none of the chosen classes");
  card_ = std::make_shared<const Card>(std::move(card));
}

void Model::read(::onnx::ModelProto& proto, const DeclaredTensor& image,
                 const std::vector<std::string>& classes) {
  if (!card_file_.empty()) {
    recognition_ = Recognition::card;
    set_card(read_card(card_file_, sha256_), classes);
    return read_given(proto, image);
  }
  if (auto known = find_known(proto.graph(), image)) {
    set_card(card_of(*known->data), classes);
    return read_known(proto, *known->data, std::move(known->outputs));
  }
  auto card = recognised_card(proto, file_.string());
  if (!card) refuse_model(file_, "not a known face model: its outputs are " + of_none_of_them());
  recognition_ = Recognition::contents;
  set_card(std::move(*card), classes);
  read_by_card(proto);
}

void Model::read_given(::onnx::ModelProto& proto, const DeclaredTensor& image) {
  const HeadFamily family = card_->head.family;
  if (family == HeadFamily::boxes) return read_boxes(proto, image);
  if (family != HeadFamily::centerface && family != HeadFamily::yunet) return read_by_card(proto);
  const ModelData data = model_data(*card_, card_origin());
  auto outputs = find_outputs(data.head, image, declared_outputs(proto.graph()));
  if (!outputs)
    refuse_card(card_origin(), "head.family: the model's outputs are not those of " +
                                   std::string(name_of(family)));
  read_known(proto, data, std::move(*outputs));
}

std::string Model::card_origin() const {
  return card_file_.empty() ? file_.string() : card_file_.string();
}

ModelAbout Model::about() const {
  const bool says_nothing = card_->licence == ModelLicence{};
  return {card_file_.string(),
          says_nothing ? licence_of_known_weights(sha256_) : card_->licence,
          least_score(*card_),
          card_->nms,
          Looks{card_->input.looks, false},
          reference_score(),
          file_};
}

std::optional<float> Model::reference_score() const {
  return card_->reference_score ? card_->reference_score
                                : reference_score_of_known_weights(sha256_);
}

void Model::read_known(::onnx::ModelProto& proto, const ModelData& known,
                       std::vector<ModelOutput> outputs) {
  data_ = std::make_shared<const ModelData>(known);
  outputs_ = std::move(outputs);
  lists_ = make_canonical(proto, file_.string(), canonical_options(*card_)).lists;
  write_sized_lists(proto, lists_, kTrial, file_.string());
  check_outputs(graph::check_onnx(proto, file_.string(), kTrial));
}

void Model::read_by_card(::onnx::ModelProto& proto) {
  const Card& card = *card_;
  ModelData data = model_data(card, card_origin());
  const CanonicalForm form = make_canonical(proto, file_.string(), canonical_options(card));
  lists_ = form.lists;
  drop_ignored_classes(proto, file_.string(), form.maps, card);
  write_sized_lists(proto, lists_, kTrial, file_.string());
  const graph::Graph graph = graph::check_onnx(proto, file_.string(), kTrial);
  note_growth(graph);
  if (data.head.kind == HeadKind::scrfd) check_activations(file_, form.maps);
  outputs_ = find_map_outputs(data.head, form.maps, graph, kTrial, {file_, card_file_});
  data_ = std::make_shared<const ModelData>(std::move(data));
}

/// Reads a network that decodes its boxes itself. It takes only one size, because its file contains
/// numbers for each cell of this size.
void Model::read_boxes(::onnx::ModelProto& proto, const DeclaredTensor& image) {
  const Card& card = *card_;
  ModelData data = model_data(card, card_origin());
  const bool states_size = image.extents[2] > 0 && image.extents[3] > 0;
  const Size stated{static_cast<int>(std::min(image.extents[3], kLargestSide + 1)),
                    static_cast<int>(std::min(image.extents[2], kLargestSide + 1))};
  if (!data.input.size && !states_size)
    refuse_card(card_origin(), "input.size: is missing, and the model's file states no size");
  if (data.input.size && states_size && *data.input.size != stated)
    refuse_card(card_origin(), "input.size: the model's input is " + to_string(stated));
  if (std::max(stated.width, stated.height) > kLargestSide)
    refuse_model(file_, "its input has a side of more than 16384 pixels");
  if (!data.input.size) data.input.size = stated;
  const Size size = *data.input.size;
  lists_ = make_canonical(proto, file_.string(), canonical_options(card)).lists;
  write_sized_lists(proto, lists_, size, file_.string());
  list_all_boxes(proto, file_.string(), size, wanted_classes(card));
  const graph::Graph graph = graph::check_onnx(proto, file_.string(), size);
  note_growth(graph);
  outputs_ = find_row_outputs(data.head, card, graph, {file_, card_file_});
  keep_outputs(proto);
  data_ = std::make_shared<const ModelData>(std::move(data));
}

/// Drops outputs that no decoder reads.
void Model::keep_outputs(::onnx::ModelProto& proto) const {
  auto& all = *proto.mutable_graph()->mutable_output();
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const auto& output) {
                             return std::ranges::find(outputs_, output.name(),
                                                      &ModelOutput::name) == outputs_.end();
                           }),
            all.end());
  Rewriting to(proto, file_.string());
  drop_unread(to);
}

void Model::check_outputs(const graph::Graph& graph) {
  note_growth(graph);
  for (const ModelOutput& output : outputs_) {
    const auto computed =
        std::find_if(graph.outputs.begin(), graph.outputs.end(),
                     [&](const graph::Output& other) { return other.name == output.name; });
    const bool fits =
        computed != graph.outputs.end() &&
        graph.value(computed->value).extents == output_extents(head().layout, output, kTrial);
    if (!fits)
      refuse_model(file_, "its output " + shown_name(output.name) +
                              " doesn't have the shape that the file says");
  }
}

/// Finds out whether values may grow faster than the picture. Only operators on rows can combine
/// two axes that both grow with the picture.
void Model::note_growth(const graph::Graph& graph) {
  grows_ = std::ranges::any_of(graph.nodes, [](const graph::Node& node) {
    return std::holds_alternative<graph::RowOperator>(node.op);
  });
}

/// Refuses a network whose values don't fit into memory for the largest picture that isn't tiled.
void Model::check_growth() const {
  if (grows_) (void)sized(data_->input.size.value_or(kLargest));
}

std::string Model::onnx(Size network, Splits splits) const {
  ::onnx::ModelProto file = sized(network);
  if (splits == Splits::as_slices) {
    Rewriting to(file, file_.string());
    make_splits_slices(to);
  }
  return file.SerializeAsString();
}

graph::Graph Model::graph(Size network) const {
  return graph::import_onnx(sized(network), file_.string());
}

::onnx::ModelProto Model::sized(Size network) const {
  if (network != data_->input.size.value_or(network))
    refuse_model(file_, "takes only pictures of " + to_string(*data_->input.size) + ", not of " +
                            to_string(network));
  ::onnx::ModelProto sized = *proto_;
  write_sized_lists(sized, lists_, network, file_.string());
  ::onnx::GraphProto& graph = *sized.mutable_graph();
  for (auto& input : *graph.mutable_input())
    if (input.name() == input_)
      set_shape(input, {1, kImageChannels, network.height, network.width});
  // The inner shapes in the file are right only for the file's own size; engines infer them.
  // Outputs must have a shape, or OpenCV refuses the file.
  graph.clear_value_info();
  for (const ModelOutput& output : outputs_)
    for (auto& value : *graph.mutable_output())
      if (value.name() == output.name)
        set_shape(value, output_extents(head().layout, output, network));
  if (grows_) graph::check_size(sized, file_.string(), network);
  return sized;
}

}  // namespace facepipe::detector
