#include "tests/support/onnx_interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>

namespace facepipe::test {
namespace {

using Index = std::vector<std::int64_t>;

std::size_t size_of(const Index& dims) {
  std::size_t size = 1;
  for (const std::int64_t dim : dims) size *= static_cast<std::size_t>(dim);
  return size;
}

/// Returns the position of the element with index `at` in a tensor's list of numbers.
std::size_t place_of(const Index& dims, const Index& at) {
  std::size_t place = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    place = place * static_cast<std::size_t>(dims[axis]) + static_cast<std::size_t>(at[axis]);
  return place;
}

/// Makes a tensor with these extents. compute() returns the number for each index.
OnnxValue filled(const Index& dims, const std::function<double(const Index&)>& compute) {
  OnnxValue value{dims, std::vector<double>(size_of(dims))};
  Index at(dims.size(), 0);
  for (double& number : value.numbers) {
    number = compute(at);
    for (std::size_t axis = dims.size(); axis-- > 0 && ++at[axis] == dims[axis];) at[axis] = 0;
  }
  return value;
}

double at(const OnnxValue& value, const Index& index) {
  return value.numbers[place_of(value.dims, index)];
}

template <class T, class Listed>
std::vector<double> numbers_of(const onnx::TensorProto& tensor, const Listed& listed) {
  if (tensor.raw_data().empty()) return {listed.begin(), listed.end()};
  std::vector<T> raw(tensor.raw_data().size() / sizeof(T));
  std::memcpy(raw.data(), tensor.raw_data().data(), raw.size() * sizeof(T));
  return {raw.begin(), raw.end()};
}

OnnxValue value_of(const onnx::TensorProto& tensor) {
  OnnxValue value{{tensor.dims().begin(), tensor.dims().end()},
                  {},
                  tensor.data_type() == onnx::TensorProto::INT64};
  if (tensor.data_type() == onnx::TensorProto::FLOAT)
    value.numbers = numbers_of<float>(tensor, tensor.float_data());
  else
    value.numbers = numbers_of<std::int64_t>(tensor, tensor.int64_data());
  return value;
}

/// Runs one node on the values that the node reads.
class OnnxLoops {
 public:
  OnnxLoops(const onnx::NodeProto& node, const std::map<std::string, OnnxValue>& values)
      : node_(node) {
    for (const std::string& input : node.input())
      inputs_.push_back(input.empty() ? OnnxValue{} : values.at(input));
  }

  std::vector<OnnxValue> run() const {
    const std::string& type = node_.op_type();
    std::vector<OnnxValue> outputs;
    if (type == "Split")
      outputs = split();
    else if (type == "TopK")
      outputs = largest();
    else
      outputs = {type == "Dropout" ? inputs_[0] : computed(type)};
    for (OnnxValue& output : outputs) output.integers = gives_integers(type);
    if (type == "TopK") outputs[1].integers = true;
    return outputs;
  }

 private:
  OnnxValue computed(const std::string& type) const {
    if (type == "Constant") return constant();
    if (type == "Identity" || type == "Cast") return inputs_[0];
    if (type == "Conv") return convolution();
    if (type == "MaxPool" || type == "AveragePool") return pooled(type == "MaxPool");
    if (type == "Softmax") return softmax();
    if (type == "Concat") return concatenated();
    if (type == "Slice") return sliced();
    if (type == "Transpose") return transposed();
    if (type == "Reshape") return {reshaped(), inputs_[0].numbers};
    if (type == "Unsqueeze" || type == "Squeeze") return with_other_rank(type == "Unsqueeze");
    if (type == "Gather") return gathered();
    if (type == "GatherElements") return gathered_elements();
    if (type == "GatherND") return gathered_places();
    if (type == "MatMul") return multiplied();
    if (type == "ReduceMax") return reduced();
    if (type == "ArgMax") return place_of_largest();
    if (type == "Tile") return tiled();
    if (type == "Expand") return expanded();
    if (type == "Flatten") return flattened();
    if (type == "NonMaxSuppression") return suppressed();
    if (type == "Shape") return shape();
    if (type == "Resize") return resized();
    return number_by_number(type);
  }

  OnnxValue number_by_number(const std::string& type) const {
    if (type == "Relu") return mapped([](double x) { return std::max(x, 0.0); });
    if (type == "LeakyRelu") return mapped([this](double x) { return x > 0 ? x : slope() * x; });
    if (type == "Sigmoid") return mapped([](double x) { return 1 / (1 + std::exp(-x)); });
    if (type == "Exp") return mapped([](double x) { return std::exp(x); });
    if (type == "Sqrt") return mapped([](double x) { return std::sqrt(x); });
    if (type == "Mod") return combined([](double x, double y) { return std::fmod(x, y); });
    if (type == "Floor") return mapped([](double x) { return std::floor(x); });
    if (type == "Add") return combined([](double x, double y) { return x + y; });
    if (type == "Sub") return combined([](double x, double y) { return x - y; });
    if (type == "Mul") return combined([](double x, double y) { return x * y; });
    if (type == "Div")
      return combined(
          [this](double x, double y) { return inputs_[0].integers ? std::trunc(x / y) : x / y; });
    throw std::runtime_error("the interpreter doesn't know " + type);
  }

  bool gives_integers(const std::string& type) const {
    if (type == "Shape" || type == "ArgMax" || type == "NonMaxSuppression") return true;
    if (type == "Cast") return integer("to", 0) != onnx::TensorProto::FLOAT;
    if (type == "Constant") return constant().integers;
    return inputs_[0].integers;
  }

  const onnx::AttributeProto* attribute(const std::string& name) const {
    for (const onnx::AttributeProto& candidate : node_.attribute())
      if (candidate.name() == name) return &candidate;
    return nullptr;
  }
  std::int64_t integer(const std::string& name, std::int64_t otherwise) const {
    return attribute(name) != nullptr ? attribute(name)->i() : otherwise;
  }
  Index integers(const std::string& name, const Index& otherwise) const {
    const auto* const found = attribute(name);
    return found != nullptr ? Index(found->ints().begin(), found->ints().end()) : otherwise;
  }
  std::string text(const std::string& name, const std::string& otherwise) const {
    return attribute(name) != nullptr ? attribute(name)->s() : otherwise;
  }
  bool has(std::size_t input) const {
    return input < inputs_.size() && !node_.input(static_cast<int>(input)).empty();
  }
  /// Reads a list of integers. The list is an input, or an attribute in older files.
  Index list(std::size_t input, const std::string& name, const Index& otherwise) const {
    if (!has(input)) return integers(name, otherwise);
    Index numbers;
    // The largest integers mean "up to the end". A double can't hold them exactly.
    for (const double number : inputs_[input].numbers)
      numbers.push_back(static_cast<std::int64_t>(std::clamp(number, -1e15, 1e15)));
    return numbers;
  }
  double slope() const {
    const auto* const alpha = attribute("alpha");
    return static_cast<double>(alpha != nullptr ? alpha->f() : 0.01F);
  }
  std::int64_t axis(std::int64_t otherwise) const {
    const std::int64_t axis = integer("axis", otherwise);
    return axis < 0 ? axis + static_cast<std::int64_t>(inputs_[0].dims.size()) : axis;
  }

  OnnxValue constant() const {
    if (const auto* const tensor = attribute("value")) return value_of(tensor->t());
    const auto* const one = attribute("value_float");
    if (one != nullptr) return {{}, {one->f()}, false};
    return {{}, {static_cast<double>(attribute("value_int")->i())}, true};
  }

  OnnxValue mapped(const std::function<double(double)>& function) const {
    OnnxValue result = inputs_[0];
    for (double& number : result.numbers) number = function(number);
    return result;
  }

  OnnxValue combined(const std::function<double(double, double)>& function) const {
    return combined(inputs_[0], inputs_[1], function);
  }
  static OnnxValue combined(const OnnxValue& x, const OnnxValue& y,
                            const std::function<double(double, double)>& function) {
    const std::size_t rank = std::max(x.dims.size(), y.dims.size());
    std::vector<OnnxValue> both{x, y};
    Index dims(rank, 1);
    for (OnnxValue& value : both) {
      value.dims.insert(value.dims.begin(), rank - value.dims.size(), 1);
      for (std::size_t i = 0; i < rank; ++i) dims[i] = std::max(dims[i], value.dims[i]);
    }
    const auto spread = [](const OnnxValue& value, Index index) {
      for (std::size_t i = 0; i < index.size(); ++i)
        if (value.dims[i] == 1) index[i] = 0;
      return at(value, index);
    };
    return filled(dims, [&](const Index& index) {
      return function(spread(both[0], index), spread(both[1], index));
    });
  }

  /// Holds the parameters that convolutions and pooling share.
  struct Windows {
    Index kernel;
    Index strides;
    Index pads;
    std::int64_t extent(std::int64_t from, std::size_t axis, bool up) const {
      const std::int64_t span = from + pads[axis] + pads[axis + 2] - kernel[axis];
      return (span + (up ? strides[axis] - 1 : 0)) / strides[axis] + 1;
    }
  };
  Windows windows(const Index& kernel) const {
    return {integers("kernel_shape", kernel), integers("strides", {1, 1}),
            integers("pads", {0, 0, 0, 0})};
  }

  OnnxValue convolution() const {
    const OnnxValue& x = inputs_[0];
    const OnnxValue& w = inputs_[1];
    const Windows by = windows({w.dims[2], w.dims[3]});
    const std::int64_t groups = integer("group", 1);
    const Index dims{1, w.dims[0], by.extent(x.dims[2], 0, false), by.extent(x.dims[3], 1, false)};
    return filled(dims, [&](const Index& to) {
      double total = has(2) ? inputs_[2].numbers[static_cast<std::size_t>(to[1])] : 0;
      const std::int64_t first = to[1] / (w.dims[0] / groups) * w.dims[1];
      for (std::int64_t i = 0; i < w.dims[1]; ++i)
        for (std::int64_t ky = 0; ky < by.kernel[0]; ++ky)
          for (std::int64_t kx = 0; kx < by.kernel[1]; ++kx) {
            const std::int64_t y = to[2] * by.strides[0] - by.pads[0] + ky;
            const std::int64_t z = to[3] * by.strides[1] - by.pads[1] + kx;
            if (y < 0 || y >= x.dims[2] || z < 0 || z >= x.dims[3]) continue;
            total += at(x, {0, first + i, y, z}) * at(w, {to[1], i, ky, kx});
          }
      return total;
    });
  }

  OnnxValue pooled(bool maximum) const {
    const OnnxValue& x = inputs_[0];
    const Windows by = windows({});
    const bool up = integer("ceil_mode", 0) != 0;
    const bool padding_counts = integer("count_include_pad", 0) != 0;
    const Index dims{1, x.dims[1], by.extent(x.dims[2], 0, up), by.extent(x.dims[3], 1, up)};
    return filled(dims, [&](const Index& to) {
      double total = 0;
      double largest = -std::numeric_limits<double>::infinity();
      std::int64_t count = 0;
      for (std::int64_t ky = 0; ky < by.kernel[0]; ++ky)
        for (std::int64_t kx = 0; kx < by.kernel[1]; ++kx) {
          const std::int64_t y = to[2] * by.strides[0] - by.pads[0] + ky;
          const std::int64_t z = to[3] * by.strides[1] - by.pads[1] + kx;
          const bool inside = y >= 0 && y < x.dims[2] && z >= 0 && z < x.dims[3];
          if (inside || padding_counts) ++count;
          if (!inside) continue;
          total += at(x, {0, to[1], y, z});
          largest = std::max(largest, at(x, {0, to[1], y, z}));
        }
      return maximum ? largest : total / static_cast<double>(count);
    });
  }

  OnnxValue softmax() const {
    const auto along = static_cast<std::size_t>(axis(-1));
    const OnnxValue& x = inputs_[0];
    return filled(x.dims, [&](const Index& to) {
      double total = 0;
      Index other = to;
      for (other[along] = 0; other[along] < x.dims[along]; ++other[along])
        total += std::exp(at(x, other) - at(x, to));
      return 1 / total;
    });
  }

  OnnxValue concatenated() const {
    const auto along = static_cast<std::size_t>(axis(0));
    Index dims = inputs_[0].dims;
    dims[along] = 0;
    for (const OnnxValue& input : inputs_) dims[along] += input.dims[along];
    return filled(dims, [&](Index to) {
      std::size_t part = 0;
      for (; to[along] >= inputs_[part].dims[along]; ++part) to[along] -= inputs_[part].dims[along];
      return at(inputs_[part], to);
    });
  }

  std::vector<OnnxValue> split() const {
    const auto along = static_cast<std::size_t>(axis(0));
    const auto equal = inputs_[0].dims[along] / node_.output_size();
    const Index sizes =
        list(1, "split", Index(static_cast<std::size_t>(node_.output_size()), equal));
    std::vector<OnnxValue> parts;
    std::int64_t first = 0;
    for (const std::int64_t size : sizes) {
      Index dims = inputs_[0].dims;
      dims[along] = size;
      parts.push_back(filled(dims, [&](Index to) {
        to[along] += first;
        return at(inputs_[0], to);
      }));
      first += size;
    }
    return parts;
  }

  OnnxValue sliced() const {
    const Index begins = list(1, "starts", {});
    const Index ends = list(2, "ends", {});
    Index axes(begins.size());
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(i);
    axes = list(3, "axes", axes);
    const Index steps = list(4, "steps", Index(begins.size(), 1));
    Index dims = inputs_[0].dims;
    Index firsts(dims.size(), 0);
    Index strides(dims.size(), 1);
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const auto rank = static_cast<std::int64_t>(dims.size());
      const auto along = static_cast<std::size_t>(axes[i] < 0 ? axes[i] + rank : axes[i]);
      const std::int64_t count = inputs_[0].dims[along];
      const auto place = [count](std::int64_t index) {
        return std::clamp<std::int64_t>(index < 0 ? index + count : index, 0, count);
      };
      firsts[along] = place(begins[i]);
      strides[along] = steps[i];
      dims[along] = (place(ends[i]) - place(begins[i]) + steps[i] - 1) / steps[i];
    }
    return filled(dims, [&](Index to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = firsts[i] + to[i] * strides[i];
      return at(inputs_[0], to);
    });
  }

  OnnxValue transposed() const {
    const Index order = integers("perm", {});
    Index dims;
    for (const std::int64_t from : order)
      dims.push_back(inputs_[0].dims[static_cast<std::size_t>(from)]);
    return filled(dims, [&](const Index& to) {
      Index from(to.size());
      for (std::size_t i = 0; i < to.size(); ++i) from[static_cast<std::size_t>(order[i])] = to[i];
      return at(inputs_[0], from);
    });
  }

  Index reshaped() const {
    Index dims = list(1, "shape", {});
    std::size_t open = dims.size();
    std::int64_t known = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == 0) dims[i] = inputs_[0].dims[i];
      if (dims[i] == -1)
        open = i;
      else
        known *= dims[i];
    }
    const auto all = static_cast<std::int64_t>(inputs_[0].numbers.size());
    if (open < dims.size()) dims[open] = all / known;
    if (size_of(dims) != inputs_[0].numbers.size())
      throw std::runtime_error("a Reshape to another number of values");
    return dims;
  }

  OnnxValue with_other_rank(bool more) const {
    OnnxValue result = inputs_[0];
    for (std::int64_t along : list(1, "axes", {})) {
      if (along < 0) along += static_cast<std::int64_t>(result.dims.size()) + (more ? 1 : 0);
      const auto place = result.dims.begin() + static_cast<std::ptrdiff_t>(along);
      more ? result.dims.insert(place, 1) : result.dims.erase(place);
    }
    return result;
  }

  OnnxValue gathered() const {
    const auto along = static_cast<std::size_t>(axis(0));
    const std::size_t rank = inputs_[1].dims.size();
    Index dims = inputs_[0].dims;
    const std::int64_t count = dims[along];
    dims.insert(dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(along)),
                inputs_[1].dims.begin(), inputs_[1].dims.end());
    return filled(dims, [&](const Index& to) {
      const auto first = to.begin() + static_cast<std::ptrdiff_t>(along);
      const auto behind = first + static_cast<std::ptrdiff_t>(rank);
      const auto place = static_cast<std::int64_t>(at(inputs_[1], Index(first, behind)));
      Index from(to.begin(), first);
      from.push_back(place < 0 ? place + count : place);
      from.insert(from.end(), behind, to.end());
      return at(inputs_[0], from);
    });
  }

  OnnxValue gathered_elements() const {
    const auto along = static_cast<std::size_t>(axis(0));
    return filled(inputs_[1].dims, [&](Index to) {
      to[along] = static_cast<std::int64_t>(at(inputs_[1], to));
      return at(inputs_[0], to);
    });
  }

  OnnxValue gathered_places() const {
    const OnnxValue& places = inputs_[1];
    const auto axes = static_cast<std::size_t>(places.dims.back());
    const std::size_t rank = places.dims.size() - 1;
    Index dims(places.dims.begin(), places.dims.end() - 1);
    dims.insert(dims.end(), inputs_[0].dims.begin() + static_cast<std::ptrdiff_t>(axes),
                inputs_[0].dims.end());
    return filled(dims, [&](const Index& to) {
      Index from;
      Index place(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(rank));
      place.push_back(0);
      for (; place.back() < places.dims.back(); ++place.back())
        from.push_back(static_cast<std::int64_t>(at(places, place)));
      from.insert(from.end(), to.begin() + static_cast<std::ptrdiff_t>(rank), to.end());
      return at(inputs_[0], from);
    });
  }

  OnnxValue multiplied() const {
    const OnnxValue& a = inputs_[0];
    const OnnxValue& b = inputs_[1];
    Index dims = a.dims;
    dims.back() = b.dims.back();
    return filled(dims, [&](const Index& to) {
      Index row = to;
      Index column = to;
      double total = 0;
      for (std::int64_t i = 0; i < a.dims.back(); ++i) {
        row.back() = i;
        column[column.size() - 2] = i;
        total += at(a, row) * at(b, column);
      }
      return total;
    });
  }

  /// Returns a result whose axis has the extent 1, or without this axis.
  OnnxValue without(std::size_t along, OnnxValue kept) const {
    if (integer("keepdims", 1) == 0)
      kept.dims.erase(kept.dims.begin() + static_cast<std::ptrdiff_t>(along));
    return kept;
  }

  /// Returns the index of the largest number along an axis, which the index `to` may name.
  std::int64_t largest_at(Index to, std::size_t along) const {
    std::int64_t best = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (to[along] = 0; to[along] < inputs_[0].dims[along]; ++to[along])
      if (at(inputs_[0], to) > most) {
        most = at(inputs_[0], to);
        best = to[along];
      }
    return best;
  }

  OnnxValue reduced() const {
    const Index axes = list(1, "axes", {});
    const auto rank = static_cast<std::int64_t>(inputs_[0].dims.size());
    if (axes.size() != 1) throw std::runtime_error("a ReduceMax of several axes");
    const auto along = static_cast<std::size_t>(axes[0] < 0 ? axes[0] + rank : axes[0]);
    Index dims = inputs_[0].dims;
    dims[along] = 1;
    return without(along, filled(dims, [&](Index to) {
                     to[along] = largest_at(to, along);
                     return at(inputs_[0], to);
                   }));
  }

  OnnxValue place_of_largest() const {
    const auto along = static_cast<std::size_t>(axis(0));
    Index dims = inputs_[0].dims;
    dims[along] = 1;
    return without(along, filled(dims, [&](const Index& to) {
                     return static_cast<double>(largest_at(to, along));
                   }));
  }

  /// Returns the largest numbers along an axis, and their indices.
  std::vector<OnnxValue> largest() const {
    const auto along = static_cast<std::size_t>(axis(-1));
    const OnnxValue& x = inputs_[0];
    Index dims = x.dims;
    dims[along] = list(1, "k", {integer("k", 0)})[0];
    const OnnxValue indices = filled(dims, [&](Index to) {
      const std::int64_t rank = to[along];
      std::vector<std::pair<double, std::int64_t>> all;
      for (to[along] = 0; to[along] < x.dims[along]; ++to[along])
        all.emplace_back(-at(x, to), to[along]);
      std::ranges::sort(all);
      return static_cast<double>(all[static_cast<std::size_t>(rank)].second);
    });
    const OnnxValue values = filled(dims, [&](Index to) {
      to[along] = static_cast<std::int64_t>(at(indices, to));
      return at(x, to);
    });
    return {values, indices};
  }

  OnnxValue tiled() const {
    Index dims = inputs_[0].dims;
    const Index repeats = list(1, "repeats", {});
    for (std::size_t i = 0; i < dims.size(); ++i) dims[i] *= repeats[i];
    return filled(dims, [&](Index to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] %= inputs_[0].dims[i];
      return at(inputs_[0], to);
    });
  }

  OnnxValue expanded() const {
    const OnnxValue zeros = filled(list(1, "shape", {}), [](const Index&) { return 0.0; });
    return combined(inputs_[0], zeros, [](double x, double) { return x; });
  }

  OnnxValue flattened() const {
    const auto middle = inputs_[0].dims.begin() + static_cast<std::ptrdiff_t>(axis(1));
    const auto before = static_cast<std::int64_t>(size_of(Index(inputs_[0].dims.begin(), middle)));
    const auto all = static_cast<std::int64_t>(inputs_[0].numbers.size());
    return {{before, all / before}, inputs_[0].numbers};
  }

  /// Computes suppression for one class and one picture, with corners as boxes.
  OnnxValue suppressed() const {
    const OnnxValue& boxes = inputs_[0];
    const OnnxValue& scores = inputs_[1];
    if (scores.dims[1] != 1) throw std::runtime_error("a NonMaxSuppression of several classes");
    const auto overlap = [&](std::size_t a, std::size_t b) {
      const double* const p = &boxes.numbers[4 * a];
      const double* const q = &boxes.numbers[4 * b];
      const double width = std::min(p[2], q[2]) - std::max(p[0], q[0]);
      const double height = std::min(p[3], q[3]) - std::max(p[1], q[1]);
      const double both = std::max(width, 0.0) * std::max(height, 0.0);
      const double all = (p[2] - p[0]) * (p[3] - p[1]) + (q[2] - q[0]) * (q[3] - q[1]);
      return both / (all - both);
    };
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t i = 0; i < scores.numbers.size(); ++i)
      if (scores.numbers[i] > inputs_[4].numbers[0]) ranked.emplace_back(-scores.numbers[i], i);
    std::ranges::sort(ranked);
    std::vector<std::size_t> kept;
    for (const auto& [score, i] : ranked)
      if (static_cast<double>(kept.size()) < inputs_[2].numbers[0] &&
          std::ranges::none_of(kept, [&, i = i](std::size_t other) {
            return overlap(other, i) > inputs_[3].numbers[0];
          }))
        kept.push_back(i);
    OnnxValue result{{static_cast<std::int64_t>(kept.size()), 3}, {}};
    for (const std::size_t i : kept)
      result.numbers.insert(result.numbers.end(), {0.0, 0.0, static_cast<double>(i)});
    return result;
  }

  OnnxValue shape() const {
    const Index& dims = inputs_[0].dims;
    return {{static_cast<std::int64_t>(dims.size())}, {dims.begin(), dims.end()}};
  }

  /// Finds the nearest pixel by ONNX's definition of each mode.
  std::int64_t nearest(std::int64_t to, double scale, std::int64_t extent) const {
    const std::string coordinates = text("coordinate_transformation_mode", "half_pixel");
    const auto x = static_cast<double>(to);
    const double from = coordinates == "asymmetric" ? x / scale : (x + 0.5) / scale - 0.5;
    const std::string rounding = text("nearest_mode", "round_prefer_floor");
    double rounded = std::floor(from);
    if (rounding == "round_prefer_floor") rounded = std::ceil(from - 0.5);
    if (rounding == "round_prefer_ceil") rounded = std::floor(from + 0.5);
    if (rounding == "ceil") rounded = std::ceil(from);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(rounded), 0, extent - 1);
  }

  OnnxValue resized() const {
    const OnnxValue& x = inputs_[0];
    std::vector<double> scales = inputs_[inputs_.size() == 2 ? 1 : 2].numbers;
    Index dims = x.dims;
    if (has(3)) {
      scales.clear();
      for (std::size_t i = 0; i < dims.size(); ++i)
        scales.push_back(inputs_[3].numbers[i] / static_cast<double>(x.dims[i]));
    }
    for (std::size_t i = 0; i < dims.size(); ++i)
      dims[i] = static_cast<std::int64_t>(std::floor(static_cast<double>(x.dims[i]) * scales[i]));
    return filled(dims, [&](Index to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = nearest(to[i], scales[i], x.dims[i]);
      return at(x, to);
    });
  }

  const onnx::NodeProto& node_;
  std::vector<OnnxValue> inputs_;
};

}  // namespace

std::map<std::string, OnnxValue> interpret_onnx(const onnx::ModelProto& model,
                                                const OnnxValue& picture) {
  std::map<std::string, OnnxValue> values;
  for (const onnx::TensorProto& tensor : model.graph().initializer())
    values[tensor.name()] = value_of(tensor);
  values[model.graph().input(0).name()] = picture;
  for (const onnx::NodeProto& node : model.graph().node()) {
    const std::vector<OnnxValue> outputs = OnnxLoops(node, values).run();
    for (std::size_t i = 0; i < outputs.size(); ++i)
      values[node.output(static_cast<int>(i))] = outputs[i];
  }
  return values;
}

OnnxValue noise_picture(int height, int width) {
  std::mt19937 random(11);
  return filled({1, 3, height, width},
                [&](const Index&) { return static_cast<double>(random() % 256); });
}

}  // namespace facepipe::test
