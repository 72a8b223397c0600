// This header has the contract of the libraries that run the network on host memory, and tells
// which of them exist. One of them can let a CUDA device compute; it does its own copies.
//
// An Engine is one network of one size. An Inference is one place in it, with its own input and
// outputs. Every engine keeps the same contract and passes the same tests. Only engine.cpp knows
// which engines were built in.
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

/// One run of the network at a time. One thread uses it at a time.
class Inference {
 public:
  /// Waits for a run that was started. Then the memory of input and outputs is freed.
  virtual ~Inference() = default;

  /// Returns the picture to look at: 3 planes of network height x width bytes, without gaps, in the
  /// model's channel order. All bytes are 0 at first. The engine never changes them, so the caller
  /// needs to write constant parts only once.
  [[nodiscard]] virtual std::span<std::uint8_t> input() = 0;

  /// Starts a run on input(). The caller must not write the input until wait() has returned. An
  /// engine that can't work in the background runs here. Errors: device.
  virtual void start() = 0;

  /// Waits for the run. Returns at once if none was started. Errors: device.
  virtual void wait() = 0;

  /// Returns the output with this index in Model::outputs(), with the length that it says. Valid
  /// from wait() to the next start().
  [[nodiscard]] virtual std::span<const float> output(std::size_t index) const = 0;

  /// Adds the copies between host and device that the last completed run needed.
  virtual void count_copies(CopyCounter& /*copies*/) const {}
};

/// A network that was made ready for one size. Thread-safe.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Returns a place with its own memory. It may outlive the engine object.
  [[nodiscard]] virtual std::unique_ptr<Inference> make_inference() = 0;
};

struct EngineOptions {
  Precision precision = Precision::f32;
  int threads = 1;   ///< >= 1: threads of all runs together
  int requests = 1;  ///< >= 1: how many Inferences may run at once; others wait for their turn
  std::shared_ptr<const I8Ranges> ranges{};  ///< ranges of the model; only i8 needs them
  Device device{};                           ///< the device that computes
};

/// An f32 network that remembers the least and the largest value of each channel, for the tensors
/// that need ranges for i8.
class NetworkObserver {
 public:
  virtual ~NetworkObserver() = default;
  /// Runs on a picture that is laid out as Inference::input(). Errors: device.
  virtual void look(std::span<const std::uint8_t> planes) = 0;
  /// Returns the ranges of all pictures so far, without the pictures' hashes.
  [[nodiscard]] virtual I8Ranges ranges() const = 0;
};

/// Returns the libraries of this build that compute networks on a kind of device, the preferred one
/// first. See supported_engines().
[[nodiscard]] std::vector<EngineSupport> network_engines(DeviceKind device);

/// Makes a network of size `network` on an engine of this build. Errors: device, naming the model's
/// file, if the engine refuses the model, the precision or the device, or if the ranges are another
/// network's; internal for a library without an engine here.
[[nodiscard]] std::unique_ptr<Engine> make_engine(Library library, const Model& model, Size network,
                                                  const EngineOptions& options);

/// Makes the observer of the library that computes in i8. Errors: device, also if this build has
/// none.
[[nodiscard]] std::unique_ptr<NetworkObserver> make_observer(const Model& model, Size network,
                                                             int threads);

/// Makes one line for the user of what an engine's library says when it refuses a model:
/// Error(device) "model FILE: LIBRARY: WHAT". Line ends and runs of blanks in WHAT become one blank
/// each.
[[nodiscard]] Error engine_error(const std::filesystem::path& model, std::string_view library,
                                 std::string_view what);

}  // namespace facepipe::detector
