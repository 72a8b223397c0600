// Manages the device of a run, and the model on it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run/input_outcome.h"
#include "app/run/run_parts.h"
#include "detector/facts.h"
#include "pipeline/backend.h"
#include "track/track_file.h"

namespace facepipe::app {

/// Chooses the device and loads the model when the first input needs them.
class RunDevice {
 public:
  /// Begins to start the devices that the run may use. The destructor waits for them, so a run that
  /// ends with an error of planning takes 0.2 s longer on a CUDA device.
  explicit RunDevice(const RunContext& context);
  ~RunDevice();
  RunDevice(const RunDevice&) = delete;
  RunDevice& operator=(const RunDevice&) = delete;

  /// Chooses the device and loads the model at the first call. No other call may run at the same
  /// time as the first call. Loads no model if the run hides known tracks. Throws Error(usage) if
  /// the device or the model can't do what options require. Throws the errors of choose_device().
  [[nodiscard]] pipeline::Backend& ready();

  /// Notes the classes of the tracks that are hidden instead of what models find.
  void take_known_classes(const std::vector<track::TrackClass>& classes);

  /// Returns facts about device and model; nullopt until the device is ready.
  [[nodiscard]] const std::optional<RunFacts>& facts() const { return facts_; }

 private:
  void load();
  [[nodiscard]] DeviceRequest wanted_device(std::string& why) const;
  [[nodiscard]] std::unique_ptr<pipeline::Backend> make(
      const Device& device, const detector::DetectorOptions& detector) const;
  [[nodiscard]] bool looks_for_faces() const { return options_.files.known_tracks.empty(); }
  void take_model_facts(const detector::ModelInfo& model_info,
                        const detector::DetectorOptions& detector);

  const RunOptions& options_;
  const RunParts& parts_;
  DeviceStart started_;
  std::optional<RunFacts> facts_;
  std::unique_ptr<pipeline::Backend> backend_;
};

}  // namespace facepipe::app
