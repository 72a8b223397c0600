#include "detector/cnn/cpu/openvino/openvino_engine.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <algorithm>
#include <openvino/openvino.hpp>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/threads.h"
#include "detector/cnn/cpu/openvino/core.h"
#include "detector/cnn/cpu/openvino/quantize.h"

namespace facepipe::detector {
namespace {

constexpr const char* kLibrary = "OpenVINO";
constexpr const char* kDevice = "CPU";
constexpr int kHelpers = 2;  // number of threads that run callbacks

#ifdef __x86_64__
/// Reads the processor's flags for its instructions, from leaf 7 of CPUID (Intel's manual, volume
/// 2A). OpenVINO itself finds out whether the system allows programs to use AMX.
struct Instructions {
  unsigned ecx = 0;        ///< register of subleaf 0
  unsigned edx = 0;        ///< register of subleaf 0
  unsigned newer_eax = 0;  ///< register of subleaf 1

  Instructions() {
    unsigned eax = 0;
    unsigned ebx = 0;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) ecx = edx = 0;
    unsigned newer_ecx = 0;
    unsigned newer_edx = 0;
    if (__get_cpuid_count(7, 1, &newer_eax, &ebx, &newer_ecx, &newer_edx) == 0) newer_eax = 0;
  }
  [[nodiscard]] bool amx_fp16() const { return (newer_eax & 1U << 21) != 0; }
  [[nodiscard]] bool bf16() const { return (newer_eax & 1U << 5) != 0 || (edx & 1U << 22) != 0; }
  [[nodiscard]] bool vnni() const { return (ecx & 1U << 11) != 0 || (newer_eax & 1U << 4) != 0; }
};

bool computes_bf16() { return Instructions().bf16(); }
Products products() { return Instructions().vnni() ? Products::exact : Products::saturate; }
#else
bool computes_bf16() { return false; }
Products products() { return Products::exact; }
#endif

ov::element::Type element_type(Precision precision) {
  switch (precision) {
    case Precision::f16:
      return ov::element::f16;
    case Precision::bf16:
      return ov::element::bf16;
    case Precision::i8:
      // This type is only for the operators between the convolutions.
      return computes_bf16() ? ov::element::bf16 : ov::element::f32;
    case Precision::f32:
      break;
  }
  return ov::element::f32;
}

/// Holds a compiled network, and the facts about it that its Inferences need.
struct Network {
  std::filesystem::path file;
  std::string input;
  std::vector<ModelOutput> outputs;
  Size size;
  ov::CompiledModel compiled;
};

class OpenvinoInference final : public Inference {
 public:
  explicit OpenvinoInference(std::shared_ptr<Network> network)
      : network_(std::move(network)), request_(network_->compiled.create_infer_request()) {
    input_ = request_.get_tensor(network_->input);
    std::fill_n(input_.data<std::uint8_t>(), input_.get_size(), std::uint8_t{0});
    for (const ModelOutput& output : network_->outputs) {
      const ov::Tensor tensor = request_.get_tensor(output.name);
      if (tensor.get_size() != output.values(network_->size))
        throw engine_error(network_->file, kLibrary,
                           "output " + output.name + " has an unexpected shape");
      outputs_.push_back(tensor);
    }
  }

  ~OpenvinoInference() override {
    try {
      request_.wait();
    } catch (const std::exception&) {
      // The caller no longer waits for the result, so we can't report the error.
    }
  }

  std::span<std::uint8_t> input() override {
    return {input_.data<std::uint8_t>(), input_.get_size()};
  }

  void start() override {
    try {
      request_.start_async();
    } catch (const ov::Exception& failure) {
      throw engine_error(network_->file, kLibrary, failure.what());
    }
  }

  void wait() override {
    try {
      request_.wait();
    } catch (const ov::Exception& failure) {
      throw engine_error(network_->file, kLibrary, failure.what());
    }
  }

  std::span<const float> output(std::size_t index) const override {
    const ov::Tensor& tensor = outputs_[index];
    return {tensor.data<const float>(), tensor.get_size()};
  }

 private:
  std::shared_ptr<Network> network_;
  ov::InferRequest request_;
  ov::Tensor input_;
  std::vector<ov::Tensor> outputs_;
};

class OpenvinoEngine final : public Engine {
 public:
  explicit OpenvinoEngine(std::shared_ptr<Network> network) : network_(std::move(network)) {}
  std::unique_ptr<Inference> make_inference() override {
    try {
      return std::make_unique<OpenvinoInference>(network_);
    } catch (const ov::Exception& failure) {
      throw engine_error(network_->file, kLibrary, failure.what());
    }
  }

 private:
  std::shared_ptr<Network> network_;
};

/// Makes the network read the picture's bytes. Bytes take only a quarter of the memory traffic of
/// floats, and the conversion becomes part of the compiled network.
std::shared_ptr<ov::Model> with_byte_input(const std::shared_ptr<ov::Model>& model) {
  ov::preprocess::PrePostProcessor ends(model);
  ends.input().tensor().set_element_type(ov::element::u8);
  for (std::size_t i = 0; i < model->outputs().size(); ++i)
    ends.output(i).tensor().set_element_type(ov::element::f32);
  return ends.build();
}

ov::CompiledModel compile(const Model& model, Size network, const EngineOptions& options) {
  ov::Core core = make_openvino_core();
  const auto read = core.read_model(model.onnx(network), ov::Tensor());
  if (options.precision == Precision::i8) quantize(read, *options.ranges, products());
  const int streams = std::min(options.requests, options.threads);
  // If OpenVINO (2026.4) can't start one of its own threads, it waits for ever. So we check first
  // that threads can be started.
  expect_threads(streams + options.threads + kHelpers);
  return core.compile_model(with_byte_input(read), kDevice,
                            ov::hint::inference_precision(element_type(options.precision)),
                            ov::inference_num_threads(options.threads), ov::num_streams(streams),
                            ov::hint::enable_cpu_pinning(false));
}

/// Checks that OpenVINO computes in the precision that was asked for. OpenVINO's property only
/// describes floats. For int8, we look at the convolutions' kernels.
void check_precision(const ov::CompiledModel& compiled, Precision asked) {
  const std::string wish = "OpenVINO: asked for precision " + std::string(to_string(asked));
  const ov::element::Type actual = compiled.get_property(ov::hint::inference_precision);
  if (actual != element_type(asked))
    throw Error(ErrorKind::device, wish + ", but it chose " + actual.get_type_name());
  if (asked != Precision::i8) return;
  const std::vector<std::string> others = convolutions_not_in_i8(compiled);
  if (others.empty()) return;
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(others.size(), kNamed); ++i)
    names += (i == 0 ? "" : ", ") + others[i];
  if (others.size() > kNamed) names += ", ...";
  throw Error(ErrorKind::device, wish + ", but it computes " + std::to_string(others.size()) +
                                     " convolutions in other precisions: " + names);
}

}  // namespace

std::vector<Precision> openvino_precisions() {
  std::vector<std::string> capabilities;
  try {
    capabilities = make_openvino_core().get_property(kDevice, ov::device::capabilities);
  } catch (const ov::Exception& failure) {
    throw Error(ErrorKind::device, std::string("OpenVINO: ") + failure.what());
  }
  const auto has = [&capabilities](const char* name) {
    return std::find(capabilities.begin(), capabilities.end(), name) != capabilities.end();
  };
  std::vector<Precision> precisions{Precision::f32};
  if (has(ov::device::capability::FP16)) precisions.push_back(Precision::f16);
  if (has(ov::device::capability::BF16)) precisions.push_back(Precision::bf16);
  if (has(ov::device::capability::INT8)) precisions.push_back(Precision::i8);
  return precisions;
}

std::vector<Precision> openvino_fast_precisions() {
#ifdef __x86_64__
  const Instructions instructions;
  std::vector<Precision> fast;
  if (instructions.amx_fp16()) fast.push_back(Precision::f16);
  if (instructions.bf16()) fast.push_back(Precision::bf16);
  return fast;
#else
  return {Precision::f16};
#endif
}

std::unique_ptr<Engine> make_openvino_engine(const Model& model, Size network,
                                             const EngineOptions& options) {
  if (options.precision == Precision::i8 && options.ranges == nullptr)
    throw Error(ErrorKind::internal, "OpenVINO: i8 without ranges");
  auto shared = std::make_shared<Network>();
  shared->file = model.file();
  shared->input = model.input();
  shared->outputs = model.outputs();
  shared->size = network;
  try {
    shared->compiled = compile(model, network, options);
    check_precision(shared->compiled, options.precision);
  } catch (const ov::Exception& failure) {
    throw engine_error(shared->file, kLibrary, failure.what());
  }
  return std::make_unique<OpenvinoEngine>(std::move(shared));
}

}  // namespace facepipe::detector
