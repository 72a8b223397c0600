// A face model's ONNX file: read, checked and made ready for any network size.
//
// Owns the parsed file. Knows nothing of engines. Immutable after construction, hence thread-safe.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "detector/cnn/model/known_models.h"

namespace onnx {
class ModelProto;
}

namespace facepipe::detector {

namespace graph {
struct Graph;
}

class Model {
 public:
  /// Reads and checks a file. Errors: device, naming the file and the reason, for a file that is
  /// missing, unreadable, empty, no regular file, larger than 1 GiB, no ONNX, ONNX whose weights
  /// stand in other files, ONNX that is no known face model, or ONNX that check_onnx()
  /// (detector/cnn/model/graph/onnx_check.h) refuses: no engine sees anything else.
  explicit Model(const std::filesystem::path& file);

  [[nodiscard]] const KnownModel& known() const { return *known_; }
  [[nodiscard]] ModelKind kind() const { return known_->kind; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] const std::string& sha256() const { return sha256_; }  ///< lower-case hex
  [[nodiscard]] ChannelOrder channel_order() const { return known_->channel_order; }

  /// Name of the input: 1 x 3 x H x W, values 0..255.
  [[nodiscard]] const std::string& input() const { return input_; }

  /// Outputs in the order in which the heads of this kind read them.
  [[nodiscard]] const std::vector<ModelOutput>& outputs() const { return outputs_; }

  /// The model as ONNX bytes, for input 1 x 3 x network.height x network.width.
  [[nodiscard]] std::string onnx(Size network) const;

 private:
  void check_outputs(const graph::Graph& graph) const;

  std::filesystem::path file_;
  const KnownModel* known_ = nullptr;
  std::string sha256_;
  std::string input_;
  std::vector<ModelOutput> outputs_;
  std::shared_ptr<const ::onnx::ModelProto> proto_;
};

}  // namespace facepipe::detector
