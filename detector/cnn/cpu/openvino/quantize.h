// Prepares a network so that OpenVINO's CPU plugin computes it in int8. FakeQuantize nodes tell the
// plugin where the 256 levels of each tensor are. The plugin replaces these nodes and the
// convolutions by kernels of int8.
//
// All convolutions and all additions of two tensors are quantized. Other nodes (activations,
// resizing, the outputs) stay unchanged. The picture's range is 0..255; the other ranges come from
// a file.
//
// A level of a convolution's input means the same value in all channels. But the values of one
// channel may be a hundredth of another's. So each channel is first divided by its own factor, and
// the weights that read it are multiplied by this factor. The network's result stays the same,
// except for rounding.
#pragma once

#include <memory>
#include <openvino/openvino.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "detector/cnn/model/i8_ranges.h"

namespace facepipe::detector {

/// Describes a tensor that needs a range. A convolution, or an addition of two tensors, reads it.
/// The picture itself is not such a tensor.
struct QuantizedTensor {
  std::string name;
  ov::Output<ov::Node> value;
};

/// Returns each tensor that needs a range once, in the network's order. `model` has one size, as
/// Model::onnx() makes it. Parts of the model that don't depend on the picture become constants.
/// Throws ov::Exception.
[[nodiscard]] std::vector<QuantizedTensor> quantized_tensors(
    const std::shared_ptr<ov::Model>& model);

/// Says how a processor sums the products of bytes. `saturate` is for x86 without VNNI: such a
/// processor adds two products in 16 bits, and clips the sum. Then weights get only half of their
/// range, so that no sum is clipped. The weights lose one bit of precision.
enum class Products { exact, saturate };

/// Inserts the FakeQuantize nodes. Throws the error of refuse_i8_ranges() if the tensors and
/// channels of `ranges` are not exactly the model's. Throws ov::Exception.
void quantize(const std::shared_ptr<ov::Model>& model, const I8Ranges& ranges, Products products);

/// Returns whether a kernel computes in int8. `kernel` is its name in a compiled network
/// ("brgconv_avx512_1x1_I8").
[[nodiscard]] bool is_i8_kernel(std::string_view kernel);

/// Returns those convolutions of a compiled network whose kernel computes in another precision than
/// int8, as "NAME (KERNEL)".
[[nodiscard]] std::vector<std::string> convolutions_not_in_i8(const ov::CompiledModel& compiled);

}  // namespace facepipe::detector
