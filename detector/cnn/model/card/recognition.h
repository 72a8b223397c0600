// Makes a model's card from the content of the model's file. Then the user needs to write no card.
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
/// Face Detection", 2021) that InsightFace has exported, with the strides 8, 16 and 32. Such a file
/// has three outputs with rows of 1 value, three with rows of 4 values, and with landmarks three
/// more with rows of 10 values. Returns nullopt for all other files.
[[nodiscard]] std::optional<Card> recognised_scrfd(const onnx::ModelProto& model);

/// Returns the card of a file that Ultralytics has exported (YOLO from version 8 on, "detect" and
/// "pose"), also with the suppression within. The file's metadata say what the card says. Returns
/// nullopt for all other files. The English name of a class decides what kind of class it is. If
/// facepipe doesn't know a name, the class is ignored, but a network's only class is then a face.
/// Errors: device, naming `source`, for a task or stride that isn't supported, for wrong metadata,
/// and if all classes are ignored.
[[nodiscard]] std::optional<Card> recognised_ultralytics(const onnx::ModelProto& model,
                                                         const std::string& source);

/// Returns the card that recognised_ultralytics() or recognised_scrfd() returns. Call this function
/// before check_onnx(), because it reads parts of the file that check_onnx() erases. The file need
/// not be checked. Throws the errors of both functions.
[[nodiscard]] std::optional<Card> recognised_card(const onnx::ModelProto& model,
                                                  const std::string& source);

/// Returns the licences of the file with this SHA-256. A few widely used files do not state their
/// licences, but facepipe knows them. All texts are empty if facepipe does not know the file.
[[nodiscard]] ModelLicence licence_of_known_weights(std::string_view sha256);

/// Returns the reference score (card.h) that was measured for the file with this SHA-256; nullopt
/// if none was.
[[nodiscard]] std::optional<float> reference_score_of_known_weights(std::string_view sha256);

}  // namespace facepipe::detector
