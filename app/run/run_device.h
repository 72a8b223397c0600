// The device of a run, and the model on it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/run/input_outcome.h"
#include "app/run/run_parts.h"
#include "detector/facts.h"
#include "pipeline/backend.h"

namespace facepipe::app {

/// Chooses the device and loads the model when the first input needs them.
class RunDevice {
 public:
  explicit RunDevice(const RunContext& context)
      : options_(context.options), parts_(context.parts) {}

  /// Makes the device ready at the first call, which no other call may accompany. It loads no model
  /// if the run hides known tracks. Errors: Error(usage) for options that the device or the model
  /// can't follow; as choose_device().
  [[nodiscard]] pipeline::Backend& ready();

  /// None until the device is ready.
  [[nodiscard]] const std::optional<RunFacts>& facts() const { return facts_; }

 private:
  void load();
  [[nodiscard]] DeviceRequest wanted_device(std::string& why) const;
  [[nodiscard]] std::unique_ptr<pipeline::Backend> make(
      const Device& device, const detector::DetectorOptions& detector) const;
  [[nodiscard]] bool looks_for_faces() const { return options_.files.known_tracks.empty(); }
  void take_model_facts(const detector::ModelInfo& model_info, const std::filesystem::path& model);

  const RunOptions& options_;
  const RunParts& parts_;
  std::optional<RunFacts> facts_;
  std::unique_ptr<pipeline::Backend> backend_;
};

}  // namespace facepipe::app
