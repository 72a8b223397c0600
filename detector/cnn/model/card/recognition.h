// Tells by a file's content what its card would say. The user needs to write none then.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "detector/cnn/model/card/card.h"

namespace onnx {
class ModelProto;
}

namespace facepipe::detector {

/// Returns the card of an SCRFD (Guo et al., "Sample and Computation Redistribution for Efficient
/// Face Detection", 2021) with the strides 8, 16 and 32, as InsightFace exports it: six outputs, or
/// nine with landmarks, whose rows hold 1, 4 and 10 values, three of each. All other files give
/// nullopt.
[[nodiscard]] std::optional<Card> recognised_scrfd(const onnx::ModelProto& model);

/// Returns the card of a file that Ultralytics has exported (YOLO from version 8 on, "detect" and
/// "pose"), from its metadata. All other files give nullopt. A class is what its name says in
/// English, and is ignored if that is nothing that facepipe knows; a single class is a face then.
/// Errors: device, naming `source`, for metadata that contradicts itself, for other tasks, and for
/// several classes that are all ignored.
[[nodiscard]] std::optional<Card> recognised_ultralytics(const onnx::ModelProto& model,
                                                         const std::string& source);

/// Returns the card of any file that is recognised. It reads what check_onnx() erases, so it comes
/// first. Nothing of the file need be checked. Errors: as the two above.
[[nodiscard]] std::optional<Card> recognised_card(const onnx::ModelProto& model,
                                                  const std::string& source);

/// Returns the licences of the file with this SHA-256: many people have it, and its licences are
/// known although it doesn't tell them. All texts are empty if nobody knows the file.
[[nodiscard]] ModelLicence licence_of_known_weights(std::string_view sha256);

/// Returns the reference score (card.h) that was measured for the file with this SHA-256; nullopt
/// if none was.
[[nodiscard]] std::optional<float> reference_score_of_known_weights(std::string_view sha256);

}  // namespace facepipe::detector
