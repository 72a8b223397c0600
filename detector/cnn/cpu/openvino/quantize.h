// A network as OpenVINO's CPU plugin computes it in int8: FakeQuantize nodes tell it where the 256
// levels of each tensor lie, and it replaces them and the convolutions by kernels of int8.
//
// All convolutions are quantized, and the additions of two tensors. What else there is
// (activations, resizing, the ends) stays as it is. The picture's range is 0..255; the others come
// from a file.
//
// A level of a convolution's input means the same in all channels, but the values of one channel
// may be a hundredth of another's. So channels are stretched first, each by its own factor, and the
// weights that read them are shrunk by it: the network is the same, but for rounding.
#pragma once

#include <memory>
#include <openvino/openvino.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "detector/cnn/model/i8_ranges.h"

namespace facepipe::detector {

/// A tensor that needs a range: what a convolution or an addition of two tensors reads, but for the
/// picture.
struct QuantizedTensor {
  std::string name;
  ov::Output<ov::Node> value;
};

/// Each once, in the network's order. `model` is of one size, as Model::onnx() gives it; parts of
/// it that don't depend on the picture become constants. Throws ov::Exception.
[[nodiscard]] std::vector<QuantizedTensor> quantized_tensors(
    const std::shared_ptr<ov::Model>& model);

/// How a processor sums the products of bytes. x86 without VNNI adds two of them in 16 bits, and
/// clips: there weights get half of their range, so that no sum is clipped, and a bit less.
enum class Products { exact, saturate };

/// Inserts the nodes. Errors: as refuse_i8_ranges(), where `ranges` has not just the model's
/// tensors and channels. Throws ov::Exception.
void quantize(const std::shared_ptr<ov::Model>& model, const I8Ranges& ranges, Products products);

/// Whether a kernel, as a compiled network names it ("brgconv_avx512_1x1_I8"), takes int8.
[[nodiscard]] bool is_i8_kernel(std::string_view kernel);

/// The convolutions of a compiled network that are computed by a kernel of another precision than
/// int8: "NAME (KERNEL)".
[[nodiscard]] std::vector<std::string> convolutions_not_in_i8(const ov::CompiledModel& compiled);

}  // namespace facepipe::detector
