// Lists the families of detectors.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "detector/family.h"

namespace facepipe::detector {

/// Returns all families. The networks come first.
[[nodiscard]] std::span<const Family* const> families();

/// Returns the family of a model file, by the file's content. If the file is missing, or no family
/// recognises it, returns the family of networks.
[[nodiscard]] const Family& family_of(const std::filesystem::path& model);

/// Returns the family that a library computes. Throws Error(internal) if there is no such family.
[[nodiscard]] const Family& family_of(Library library);

/// Returns a description of the files of all families: "ONNX (...), a cascade in OpenCV's XML, or
/// ...".
[[nodiscard]] std::string model_files();

/// Returns a description of the files of those families that have the precision.
[[nodiscard]] std::string files_with(Precision precision);

/// Returns the names of the models that accept an option, such as "cascades".
[[nodiscard]] std::string takers_of(bool TakenOptions::*option);

/// Chooses the engine for a model of `family`. Never replaces what a user named. Throws
/// Error(usage), naming the model's file, if the user named an engine or an option that the family
/// doesn't have. Throws the errors of choose_engine() in options.h.
[[nodiscard]] EngineChoice choose_engine(const Family& family, const Device& device,
                                         DetectorOptions options);

}  // namespace facepipe::detector
