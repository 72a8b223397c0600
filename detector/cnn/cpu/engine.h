// Defines the contract of the libraries that run the network on host memory, and says which of
// these libraries the build has. OpenCV can also compute on a CUDA device; it then copies the input
// and the outputs itself.
//
// An Engine is a network for one size. An Inference belongs to an engine. It has its own input and
// outputs, and does one run at a time. Every engine keeps the same contract and passes the same
// tests. Only engine.cpp knows which engines were built in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/copies.h"
#include "core/device.h"
#include "core/error.h"
#include "detector/cnn/model/i8_ranges.h"
#include "detector/cnn/model/model.h"
#include "detector/options.h"

namespace facepipe::detector {

/// Runs the network, one run at a time. Only one thread at a time may use an object.
class Inference {
 public:
  /// Waits for a run that was started, and then frees the memory of input and outputs.
  virtual ~Inference() = default;

  /// Returns the network's picture: 3 planes of network height x width bytes, without gaps, in the
  /// model's channel order. All bytes are 0 at first. The engine never changes the bytes, so the
  /// caller needs to write constant parts only once.
  [[nodiscard]] virtual std::span<std::uint8_t> input() = 0;

  /// Starts a run on input(). The caller must not write to the input until wait() has returned. If
  /// the engine can't work in the background, runs the network here. Throws Error(device) if the
  /// engine fails.
  virtual void start() = 0;

  /// Waits for the run. Returns at once if no run was started. Throws Error(device) if the run
  /// failed.
  virtual void wait() = 0;

  /// Returns the output with this index in Model::outputs(), which defines its length. Valid from
  /// wait() until the next start().
  [[nodiscard]] virtual std::span<const float> output(std::size_t index) const = 0;

  /// Adds the copies between host and device that the last completed run needed.
  virtual void count_copies(CopyCounter& /*copies*/) const {}
};

/// Holds a network that was compiled for one size. Thread-safe.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Returns a new inference with its own memory. It may outlive this object.
  [[nodiscard]] virtual std::unique_ptr<Inference> make_inference() = 0;
};

struct EngineOptions {
  Precision precision = Precision::f32;
  /// Number of threads of all runs together, >= 1. OpenCV has one number for the whole process,
  /// which make_detector_factory() sets.
  int threads = 1;
  int requests = 1;  ///< number of Inferences that may run at the same time, >= 1; others wait
  std::shared_ptr<const I8Ranges> ranges{};  ///< ranges of the model; only i8 needs them
  Device device{};                           ///< the device that computes
};

/// Runs a network in f32. For the tensors that need ranges for i8, remembers the least and the
/// largest value of each channel.
class NetworkObserver {
 public:
  virtual ~NetworkObserver() = default;
  /// Runs on a picture in the layout of Inference::input(). Throws Error(device) if the engine
  /// fails.
  virtual void look(std::span<const std::uint8_t> planes) = 0;
  /// Returns the ranges of all pictures so far, without the pictures' hashes.
  [[nodiscard]] virtual I8Ranges ranges() const = 0;
};

/// Returns the libraries of this build that compute networks on a kind of device, the preferred
/// library first. See supported_engines().
[[nodiscard]] std::vector<EngineSupport> network_engines(DeviceKind device);

/// Makes a network of size `network` on an engine of this build. Throws Error(device), naming the
/// model's file, if the engine refuses the model, the precision or the device, or if the ranges
/// belong to another network. Throws Error(internal) if this build has no engine of `library`.
[[nodiscard]] std::unique_ptr<Engine> make_engine(Library library, const Model& model, Size network,
                                                  const EngineOptions& options);

/// Makes the observer of the library that computes in i8. Throws Error(device), also if this build
/// has no such library.
[[nodiscard]] std::unique_ptr<NetworkObserver> make_observer(const Model& model, Size network,
                                                             int threads);

/// Makes an error with one line for the user from `what`, the message with which an engine's
/// library has refused a model: Error(device) "model FILE: LIBRARY: WHAT". Each line end and each
/// run of blanks in `what` becomes one blank.
[[nodiscard]] Error engine_error(const std::filesystem::path& model, std::string_view library,
                                 std::string_view what);

}  // namespace facepipe::detector
