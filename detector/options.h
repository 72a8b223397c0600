// Holds a user's choices about detection, and chooses an engine that fits them.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device.h"
#include "core/geometry.h"
#include "detector/looks.h"

namespace facepipe::detector {

struct ModelAbout;

/// This is DetectorOptions::score_threshold where only DetectorOptions::weak_score counts.
inline constexpr float kOnlyWeakOnes = 1;

/// Names the code that computes on a device.
enum class Library { opencv, openvino, native_cuda, cascade, acf };
enum class Precision { f32, f16, bf16, i8 };
[[nodiscard]] std::string_view to_string(Precision precision);

/// Returns false for a library that computes only its own kind of model (cascades, channel
/// features). Then the model's file decides the library.
[[nodiscard]] bool computes_networks(Library library);

/// Returns true for an engine on a CUDA device whose input and output are in host memory. Then the
/// steps before and after the network run on the CPU.
[[nodiscard]] bool works_in_host_memory(DeviceKind device, Library library);

/// Describes an engine by the name that users give it.
struct NamedEngine {
  std::string_view name;  ///< "opencv", "cuda-plain"
  Library library = Library::opencv;
  bool fused = true;  ///< see DetectorOptions::fused
};

/// Returns the engines of one device, or of all devices, even engines that aren't built in. The
/// engines are sorted by device, then by name. Each name appears once.
[[nodiscard]] std::vector<NamedEngine> named_engines(std::optional<DeviceKind> device = {});

/// Returns the name that users give to an engine. `fused` matters only for Library::native_cuda.
[[nodiscard]] std::string_view engine_name(Library library, bool fused = true);

/// Says whether DetectorOptions::score_threshold is the score of the model's card, if it has one.
enum class CardScore {
  ignored,  ///< the user's threshold
  taken,    ///< the card's score
};

/// The value nullopt in an optional field means "auto".
struct DetectorOptions {
  std::filesystem::path model;
  /// Other models that also search each frame. The card of each of them is beside its file.
  std::vector<std::filesystem::path> more_models{};
  /// Names of the wanted classes. If it is empty, all classes that the models don't ignore are
  /// wanted.
  std::vector<std::string> classes{};
  int models = 1;  ///< models that share the memory for kept detectors, >= 1
  /// The file of a network's card. If this is empty, facepipe reads MODEL.json if it exists.
  std::filesystem::path card;
  std::optional<Library> library;
  std::optional<Precision> precision;
  float score_threshold = 0.5F;  ///< candidates need score > this, unless weaker ones are wanted
  /// Weaker candidates are wanted, too: those of score > this on the usual scale
  /// (core/score_scale.h).
  std::optional<float> weak_score{};
  CardScore card_score = CardScore::ignored;
  std::optional<Size> detect_size;  ///< network input before padding; default: the frame's size
  std::optional<Looks> looks;       ///< looks at each frame; default: the card's looks, or one look
  /// Adds the mirrored look to `looks` and, if there is no `detect_size`, a turned look.
  bool mirrored_too = false;
  int threads = 0;   ///< 0: one for each core that the process may use
  int requests = 2;  ///< frames that the detector may hold at the same time, >= 1
  /// This is only for our own engine. If true, kernels compute several operators at once, if the
  /// chip has such kernels. If false, each kernel computes one operator. Then the results are the
  /// same, but slower to compute. This is used for comparisons.
  bool fused = true;
  std::optional<double> scale_factor;  ///< for a cascade: from one level to the next, > 1
  /// for a cascade, see cascade::LevelOptions; for channel features, see acf::SizeLimits
  double min_face = 0;
  double max_face = 0;  ///< see min_face
  /// This is only for a cascade. If true, all windows are candidates, with score 1 and not clipped.
  /// The rule of suppression that counts windows itself (`groups`) needs this.
  bool every_window = false;
};

/// Returns `options.looks`, or one look if `options.looks` is nullopt. Adds the looks of
/// `options.mirrored_too`. Does not use the model's card.
[[nodiscard]] Looks looks_of(const DetectorOptions& options);

/// Returns the options with the score and the looks of the model's card, if the user has left them
/// to the card. `score_threshold` becomes the score that candidates must exceed, and `weak_score`
/// becomes nullopt.
[[nodiscard]] DetectorOptions with_defaults(DetectorOptions options, const ModelAbout& about);

/// Returns the options of a detector that looks once at each frame and finds candidates with a
/// score above `usual_score` on the usual scale. Ignores the looks and scores of the user and of
/// the model's card.
[[nodiscard]] DetectorOptions with_one_look(DetectorOptions options, float usual_score);

/// The engine that runs, after "auto" has been resolved.
struct EngineChoice {
  Library library = Library::opencv;
  Precision precision = Precision::f32;
  /// one sentence that gives the reason; empty if the user named both engine and precision
  std::string why;
  bool fused = true;  ///< see DetectorOptions::fused

  [[nodiscard]] std::string_view name() const { return engine_name(library, fused); }
};

/// Describes a library of this build on one kind of device, and the precisions in which it can
/// compute on this processor.
struct EngineSupport {
  Library library = Library::opencv;
  std::vector<Precision> precisions;
  /// precisions that take less time than f32 and find the same faces
  std::vector<Precision> fast;
};

/// Returns the libraries that are built in for a kind of device, the preferred library first. Every
/// build with CUDA lists OpenCV's library. Only the factory of OpenCV's detectors finds out whether
/// OpenCV has code for CUDA devices.
[[nodiscard]] std::vector<EngineSupport> supported_engines(DeviceKind device = DeviceKind::cpu);

/// Resolves engine and precision for a device. Never replaces what a user named. Throws
/// Error(usage) if device, engine and precision don't go together in the tables of the families.
/// Throws Error(device) if this build or this processor lacks what the user named.
[[nodiscard]] EngineChoice choose_engine(const Device& device, const DetectorOptions& options);

/// Resolves engine and precision as if `built` were the engines of this build and processor. With
/// this function, tests can cover every case on any machine.
[[nodiscard]] EngineChoice choose_engine(const Device& device, const DetectorOptions& options,
                                         std::span<const EngineSupport> built);

}  // namespace facepipe::detector
