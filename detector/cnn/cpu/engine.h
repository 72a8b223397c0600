// The contract behind which the libraries stand that run the network on host memory, and which of
// them there are. One of them can let a CUDA device compute, and copies itself.
//
// An Engine is one network of one size; an Inference is one place in it, with its own input and
// outputs. Every engine keeps the same contract and passes the same tests. Which were built in
// engine.cpp alone knows.
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

/// One run of the network at a time. Used by one thread at a time.
class Inference {
 public:
  /// Waits for a run that was started; memory of input and outputs ends here.
  virtual ~Inference() = default;

  /// The picture to look at: 3 planes of network height x width bytes, without gaps, in the model's
  /// channel order. All 0 at first; the engine never changes it, so what is written once stays.
  [[nodiscard]] virtual std::span<std::uint8_t> input() = 0;

  /// Starts a run on input(), which must not be written until wait() has returned. An engine that
  /// can't work in the background runs here. Errors: device.
  virtual void start() = 0;

  /// Waits for the run. Errors: device. Without a started run it returns at once.
  virtual void wait() = 0;

  /// One output by its place in Model::outputs(), as long as that says; valid from wait() to the
  /// next start().
  [[nodiscard]] virtual std::span<const float> output(std::size_t index) const = 0;

  /// Adds what the last run that was waited for has copied between host and device.
  virtual void count_copies(CopyCounter& /*copies*/) const {}
};

/// A network made ready for one size. Thread-safe.
class Engine {
 public:
  virtual ~Engine() = default;

  /// A place with its own memory; may outlive the engine object.
  [[nodiscard]] virtual std::unique_ptr<Inference> make_inference() = 0;
};

struct EngineOptions {
  Precision precision = Precision::f32;
  int threads = 1;   ///< >= 1, of all runs together
  int requests = 1;  ///< >= 1: how many Inferences may run at once; more wait for their turn
  std::shared_ptr<const I8Ranges> ranges{};  ///< of the model; i8 needs them
  Device device{};                           ///< that computes
};

/// A network of f32 that remembers the least and the largest value of each channel of the tensors
/// that i8 needs ranges for.
class NetworkObserver {
 public:
  virtual ~NetworkObserver() = default;
  /// Runs on a picture, laid out as Inference::input(). Errors: device.
  virtual void look(std::span<const std::uint8_t> planes) = 0;
  /// Of all pictures so far; without their hashes.
  [[nodiscard]] virtual I8Ranges ranges() const = 0;
};

/// The libraries built in for a kind of device, the preferred one first. OpenCV's is there wherever
/// CUDA is: whether it has a CUDA device's code is told by make_engine().
[[nodiscard]] std::vector<EngineSupport> supported_engines(DeviceKind device = DeviceKind::cpu);

/// A network of size `network` on an engine of this build. Errors: device, naming the model's file,
/// where the engine refuses the model, the precision or the device, and for ranges that are another
/// network's; internal for a library without an engine here.
[[nodiscard]] std::unique_ptr<Engine> make_engine(Library library, const Model& model, Size network,
                                                  const EngineOptions& options);

/// Of the library that computes in i8. Errors: device, also where this build has none.
[[nodiscard]] std::unique_ptr<NetworkObserver> make_observer(const Model& model, Size network,
                                                             int threads);

/// What an engine's library says when it refuses a model, as one line for the user: Error(device)
/// "model FILE: LIBRARY: WHAT", with line ends and runs of blanks in WHAT made one blank each.
[[nodiscard]] Error engine_error(const std::filesystem::path& model, std::string_view library,
                                 std::string_view what);

}  // namespace facepipe::detector
