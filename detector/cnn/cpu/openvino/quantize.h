// These functions prepare a network so that OpenVINO's CPU plugin computes it in int8. FakeQuantize
// nodes tell the plugin where the 256 levels of each tensor lie. The plugin replaces them and the
// convolutions by kernels of int8.
//
// All convolutions and all additions of two tensors are quantized. Other nodes (activations,
// resizing, the ends) stay as they are. The picture's range is 0..255; the other ranges come from a
// file.
//
// A level of a convolution's input means the same in all channels, but the values of one channel
// may be a hundredth of another's. So channels are stretched first, each by its own factor, and the
// weights that read them are shrunk by it. The network stays the same, except for rounding.
#pragma once

#include <memory>
#include <openvino/openvino.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "detector/cnn/model/i8_ranges.h"

namespace facepipe::detector {

/// A tensor that needs a range: a convolution or an addition of two tensors reads it, and it is not
/// the picture.
struct QuantizedTensor {
  std::string name;
  ov::Output<ov::Node> value;
};

/// Returns each such tensor once, in the network's order. `model` has one size, as Model::onnx()
/// makes it. Parts of it that don't depend on the picture become constants. Throws ov::Exception.
[[nodiscard]] std::vector<QuantizedTensor> quantized_tensors(
    const std::shared_ptr<ov::Model>& model);

/// Tells how a processor sums the products of bytes. x86 without VNNI adds two products in 16 bits,
/// and clips the sum. Then weights get half of their range, so that no sum is clipped. This costs
/// them one bit of precision.
enum class Products { exact, saturate };

/// Inserts the nodes. Throws the error of refuse_i8_ranges() if the tensors and channels of
/// `ranges` are not exactly the model's. Throws ov::Exception.
void quantize(const std::shared_ptr<ov::Model>& model, const I8Ranges& ranges, Products products);

/// Tells whether a kernel takes int8. Its name is as in a compiled network
/// ("brgconv_avx512_1x1_I8").
[[nodiscard]] bool is_i8_kernel(std::string_view kernel);

/// Returns the convolutions of a compiled network whose kernel has another precision than int8, as
/// "NAME (KERNEL)".
[[nodiscard]] std::vector<std::string> convolutions_not_in_i8(const ov::CompiledModel& compiled);

}  // namespace facepipe::detector
