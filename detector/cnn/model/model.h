// Reads and checks the ONNX file of a face model, and makes it ready for any network size.
//
// A Model owns the parsed file. It doesn't depend on engines. It is immutable after construction,
// hence thread-safe.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "detector/cnn/model/canonical/sized_list.h"
#include "detector/cnn/model/known_models.h"
#include "detector/cnn/model/model_outputs.h"
#include "detector/model_about.h"

namespace onnx {
class ModelProto;
}

namespace facepipe::detector {

struct Card;

namespace graph {
struct Graph;
}

/// Returns the names of all networks that a Model can be, for sentences: "CenterFace".
[[nodiscard]] std::vector<std::string> network_titles();

/// Says how a model was recognised.
enum class Recognition {
  outputs,   ///< by the shapes and names of the outputs, as in a known network
  contents,  ///< by the rows of the outputs, or by the exporter's metadata
  card,
};

/// Says how an engine's library reads parts of different sizes; see make_splits_slices()
/// (detector/cnn/model/canonical/passes.h).
enum class Splits { kept, as_slices };

class Model {
 public:
  /// Reads and checks a file. Throws Error(device), naming the file and the reason, for a file
  /// * that is missing, unreadable, empty, not regular, larger than 1 GiB, or not ONNX;
  /// * whose weights are in other files;
  /// * that is no known face model and isn't recognised (detector/cnn/model/card/recognition.h);
  /// * whose canonical form (detector/cnn/model/canonical/canonical.h) is refused by check_onnx()
  ///   (detector/cnn/model/graph/onnx_check.h).
  ///
  /// So no engine sees such a file, and all engines see the same form.
  ///
  /// `card` is the file of the model's card (detector/cnn/model/card/card.h). If it is empty,
  /// MODEL.json is used, if it exists. The card says how the file is read; without a card, the
  /// file's content decides. Throws the errors of read_card(), and refuses a card that contradicts
  /// the file.
  ///
  /// `classes` are the names of the classes that the model must find. It ignores all other classes.
  /// If the list is empty, the card decides. Throws Error(device) if no class is left.
  explicit Model(const std::filesystem::path& file, const std::filesystem::path& card = {},
                 const std::vector<std::string>& classes = {});

  /// Returns the model's card. If the model has no card, returns one made from the file's content.
  [[nodiscard]] const Card& card() const { return *card_; }
  /// Returns what decided how the file is read: a card, or something in the file.
  [[nodiscard]] Recognition recognition() const { return recognition_; }
  [[nodiscard]] ModelAbout about() const;

  /// Returns the description of the network, without its weights. It lives as long as the model and
  /// its copies.
  [[nodiscard]] const ModelData& data() const { return *data_; }
  [[nodiscard]] const HeadData& head() const { return data_->head; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] const std::string& sha256() const { return sha256_; }  ///< lower-case hex
  [[nodiscard]] ChannelOrder channel_order() const { return data_->input.channel_order; }

  /// Returns the name of the input: 1 x 3 x H x W, values 0..255.
  [[nodiscard]] const std::string& input() const { return input_; }

  /// Returns the outputs in the order in which decoders read them.
  [[nodiscard]] const std::vector<ModelOutput>& outputs() const { return outputs_; }

  /// Returns the canonical form as ONNX bytes, for an input of 1 x 3 x network.height x
  /// network.width. Throws Error(device) if the network grows faster than the picture, as with
  /// attention, and is too large for this size, or if it takes only another size.
  [[nodiscard]] std::string onnx(Size network, Splits splits = Splits::kept) const;

  /// Returns the canonical form for such an input as a graph. Throws as onnx().
  [[nodiscard]] graph::Graph graph(Size network) const;

 private:
  void read(::onnx::ModelProto& proto, const DeclaredTensor& image,
            const std::vector<std::string>& classes);
  void set_card(Card card, const std::vector<std::string>& classes);
  void read_given(::onnx::ModelProto& proto, const DeclaredTensor& image);
  void read_known(::onnx::ModelProto& proto, const ModelData& known,
                  std::vector<ModelOutput> outputs);
  void read_by_card(::onnx::ModelProto& proto);
  void read_boxes(::onnx::ModelProto& proto, const DeclaredTensor& image);
  void keep_outputs(::onnx::ModelProto& proto) const;
  [[nodiscard]] std::string card_origin() const;
  [[nodiscard]] std::optional<float> reference_score() const;
  void check_outputs(const graph::Graph& graph);
  void note_growth(const graph::Graph& graph);
  [[nodiscard]] ::onnx::ModelProto sized(Size network) const;
  void check_growth() const;

  std::filesystem::path file_;
  std::filesystem::path card_file_;  ///< empty if the model has no card
  std::shared_ptr<const Card> card_;
  Recognition recognition_ = Recognition::outputs;
  std::shared_ptr<const ModelData> data_;
  std::string sha256_;
  std::string input_;
  std::vector<ModelOutput> outputs_;
  std::vector<SizedList> lists_;
  bool grows_ = false;  ///< whether values may grow faster than the picture
  std::shared_ptr<const ::onnx::ModelProto> proto_;
};

}  // namespace facepipe::detector
