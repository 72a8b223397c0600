// A face model's ONNX file: read, checked and made ready for any network size.
//
// Owns the parsed file. Knows the two networks by the shapes of their inputs and outputs, so that a
// retrained file under other tensor names is known as well; knows nothing of engines. Immutable
// after construction, hence thread-safe.
//
// CenterFace (Xu et al., "CenterFace: Joint Face Detection and Alignment Using Face as Point",
// 2020): one input N x 3 x H x W; four outputs at stride 4, in the file's order: heatmap (1
// channel), scale (2), offset (2), landmarks (10). YuNet (Wu et al., "YuNet: A Tiny
// Millisecond-level Face Detector", 2023): twelve outputs NAME_STRIDE of shape 1 x cells x
// channels, with NAME cls, obj, bbox, kps and STRIDE 8, 16, 32.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/geometry.h"

namespace onnx {
class ModelProto;
}

namespace facepipe {

namespace graph {
struct Graph;
}

enum class ModelKind { centerface, yunet };
[[nodiscard]] std::string_view to_string(ModelKind kind);

/// Order of the input's three planes.
enum class ChannelOrder { rgb, bgr };

/// One output of the network. It holds (network height / stride) * (network width / stride) cells
/// of `channels` floats each.
struct ModelOutput {
  std::string name;
  int channels = 0;
  int stride = 0;

  [[nodiscard]] std::size_t values(Size network) const {
    const auto rows = static_cast<std::size_t>(network.height / stride);
    const auto columns = static_cast<std::size_t>(network.width / stride);
    return rows * columns * static_cast<std::size_t>(channels);
  }
};

class Model {
 public:
  /// Reads and checks a file. Errors: device, naming the file and the reason, for a file that is
  /// missing, unreadable, empty, no regular file, larger than 1 GiB, no ONNX, ONNX whose weights
  /// stand in other files, ONNX that is no known face model, or ONNX that check_onnx()
  /// (detector/cnn/model/graph/onnx_check.h) refuses: no engine sees anything else.
  explicit Model(const std::filesystem::path& file);

  [[nodiscard]] ModelKind kind() const { return kind_; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] const std::string& sha256() const { return sha256_; }  ///< lower-case hex
  [[nodiscard]] ChannelOrder channel_order() const;

  /// Name of the input: 1 x 3 x H x W, values 0..255.
  [[nodiscard]] const std::string& input() const { return input_; }

  /// Outputs in the order in which the head of this kind reads them. CenterFace: heatmap, scale,
  /// offset, landmarks. YuNet: cls, obj, bbox, kps for stride 8, then 16, then 32.
  [[nodiscard]] const std::vector<ModelOutput>& outputs() const { return outputs_; }

  /// The model as ONNX bytes, for input 1 x 3 x network.height x network.width.
  [[nodiscard]] std::string onnx(Size network) const;

 private:
  void check_outputs(const graph::Graph& graph) const;

  std::filesystem::path file_;
  ModelKind kind_ = ModelKind::centerface;
  std::string sha256_;
  std::string input_;
  std::vector<ModelOutput> outputs_;
  std::shared_ptr<const ::onnx::ModelProto> proto_;
};

}  // namespace facepipe
