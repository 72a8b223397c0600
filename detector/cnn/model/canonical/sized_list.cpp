#include "detector/cnn/model/canonical/sized_list.h"

#include <onnx/onnx_pb.h>

#include <unordered_map>
#include <vector>

#include "core/terminal_text.h"
#include "detector/model_file.h"

namespace facepipe::detector {

void write_sized_lists(onnx::ModelProto& model, std::span<const SizedList> lists, Size network,
                       const std::string& source) {
  std::unordered_map<std::string, onnx::TensorProto*> weights;
  if (lists.empty()) return;
  for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer())
    weights[tensor.name()] = &tensor;
  for (const SizedList& list : lists) {
    const auto found = weights.find(list.name);
    if (found == weights.end()) continue;  // no node reads the list any more
    std::vector<std::int64_t> numbers;
    for (const SizeNumber& extent : list.extents) {
      const std::optional<std::int64_t> number = extent.at(network);
      if (!number)
        refuse_model(source, "weights " + shown_name(list.name) +
                                 ": can't be used for pictures of " + to_string(network));
      numbers.push_back(*number);
    }
    found->second->set_raw_data(numbers.data(), numbers.size() * sizeof(std::int64_t));
  }
}

}  // namespace facepipe::detector
