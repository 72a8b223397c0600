#include "tests/support/small_exports.h"

namespace facepipe::test {
namespace {

using Integers = std::vector<std::int64_t>;

constexpr int kAnchors = 2;

/// Appends a head of an SCRFD for one stride: a row of `values` numbers for each anchor at each
/// place.
std::string head_of(OnnxBuilder& build, const std::string& map, int values) {
  std::string head = build.convolution(map, 4, kAnchors * values, 3);
  if (values == 4) head = build.node("Mul", {head, build.floats({}, {0.88F})});
  const std::string cells = build.node("Transpose", {head}, {{"perm", Integers{0, 2, 3, 1}}});
  const std::string rows = build.node("Reshape", {cells, build.constant({1, -1, values})});
  return values == 1 ? build.node("Sigmoid", {rows}) : rows;
}

}  // namespace

OnnxBuilder small_scrfd(bool landmarks) {
  OnnxBuilder build(kExportedSide, kExportedSide, 11);
  const std::string stem = build.node("Relu", {build.convolution(build.picture(), 3, 4, 3, 2)});
  const std::string fine = build.convolution(build.convolution(stem, 4, 4, 3, 2), 4, 4, 3, 2);
  const std::string mean = build.node(
      "AveragePool", {fine},
      {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}, {"ceil_mode", 1L}});
  const std::string middle = build.node("Identity", {build.convolution(mean, 4, 4)});
  const std::string coarse = build.convolution(middle, 4, 4, 3, 2);
  const std::string nothing = build.floats({0}, {});
  const std::string up =
      build.node("Resize", {middle, nothing, nothing, build.integers({1, 4, 8, 8})},
                 {{"mode", std::string("nearest")},
                  {"coordinate_transformation_mode", std::string("asymmetric")},
                  {"nearest_mode", std::string("floor")}});
  const std::string levels[] = {build.node("Add", {fine, up}), middle, coarse};
  for (const int values : {1, 4, 10}) {
    std::int64_t side = kExportedSide / 8;
    for (const std::string& level : levels) {
      if (values == 10 && !landmarks) break;
      build.output(head_of(build, level, values), {1, kAnchors * side * side, values});
      side /= 2;
    }
  }
  return build;
}

std::string write_small_scrfd(const TemporaryFolder& folder) {
  return folder.write("small.onnx", small_scrfd().model().SerializeAsString());
}

OnnxBuilder export_for_all_passes() {
  OnnxBuilder build(kExportedSide, kExportedSide, 12);
  const std::string map = build.convolution(build.picture(), 3, 6, 3, 2);
  const std::string groups = build.node("Reshape", {map, build.constant({1, 2, 3, 32, 32})});
  const std::string swapped =
      build.node("Transpose", {groups}, {{"perm", Integers{0, 2, 1, 3, 4}}});
  const std::string shuffled = build.node("Reshape", {swapped, build.constant({1, -1, 32, 32})});
  const auto slice = [&](std::int64_t begin, std::int64_t end) {
    return build.node("Slice", {shuffled, build.constant({begin}), build.constant({end}),
                                build.constant({1}), build.constant({1})});
  };
  const std::string joined =
      build.node("Add", {build.node("Relu", {slice(0, 3)}), build.node("Identity", {slice(3, 6)})});
  const std::string mean = build.node(
      "AveragePool", {joined},
      {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}, {"ceil_mode", 1L}});
  // Exporters write SiLU as a product.
  const std::string silu = build.node("Mul", {mean, build.node("Sigmoid", {mean})});
  const std::string leaky = build.node("LeakyRelu", {mean}, {{"alpha", 0.1F}});
  const std::string both = build.node("Concat", {silu, leaky}, {{"axis", 1L}});
  const std::string scaled =
      build.node("Mul", {build.convolution(both, 6, 4, 3), build.floats({1}, {0.5F})});
  const std::string nothing = build.floats({0}, {});
  const std::string up =
      build.node("Resize", {scaled, nothing, nothing, build.constant({1, 4, 32, 32})},
                 {{"mode", std::string("nearest")}});
  const std::string head = build.convolution(up, 4, 8);
  const std::string cells = build.node("Transpose", {head}, {{"perm", Integers{0, 2, 3, 1}}});
  build.output(build.node("Reshape", {cells, build.constant({1, 2048, 4})}));
  return build;
}

}  // namespace facepipe::test
