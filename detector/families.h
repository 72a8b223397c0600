// The registry of the families of detectors.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "detector/family.h"

namespace facepipe::detector {

/// Returns all families. The networks come first.
[[nodiscard]] std::span<const Family* const> families();

/// Returns the family of a model file, by the file's content. A file that is missing, or that
/// nobody knows, belongs to the networks.
[[nodiscard]] const Family& family_of(const std::filesystem::path& model);

/// Returns the family that a library computes. Throws Error(internal) if there is none.
[[nodiscard]] const Family& family_of(Library library);

/// Names the files of all families: "ONNX (...), a cascade in OpenCV's XML, or ...".
[[nodiscard]] std::string model_files();

/// Names the files of the families that have a precision.
[[nodiscard]] std::string files_with(Precision precision);

/// Names the models that take an option: "cascades".
[[nodiscard]] std::string takers_of(bool TakenOptions::*option);

/// Chooses the engine for a model of `family`. Nothing that a user named is replaced. Errors:
/// usage, naming the model's file, if the user named an engine or an option that the family doesn't
/// have; as choose_engine() in options.h.
[[nodiscard]] EngineChoice choose_engine(const Family& family, const Device& device,
                                         DetectorOptions options);

}  // namespace facepipe::detector
