// Tells what an ONNX file says about its inputs and outputs, also if no family of networks takes
// it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace facepipe::detector {

/// Texts hold only printable characters, and are shortened.
struct DeclaredValue {
  std::string name;
  std::string type;  ///< "float of 1 x 3 x height x 640", where the file gives a name to an extent
};

struct DeclaredValues {
  std::vector<DeclaredValue> inputs;  ///< none of them is a weight
  std::vector<DeclaredValue> outputs;
  std::size_t left_out = 0;  ///< values beyond the first 32 inputs and the first 32 outputs
};

/// Reads a file and checks nothing else. Returns nullopt if it is not an ONNX model. Errors: as
/// read_model_file().
[[nodiscard]] std::optional<DeclaredValues> declared_values(const std::filesystem::path& file);

}  // namespace facepipe::detector
