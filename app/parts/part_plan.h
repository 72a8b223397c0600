// Reads and writes plans of parts: files that say how an input is cut, and how each part is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/parts/part_job.h"

namespace facepipe::app {

/// The most parts of a plan.
inline constexpr int kMostParts = 1 << 16;
/// The most parts of a plan if the user doesn't say how many.
inline constexpr int kUsualParts = 8;

/// A part of the input's video: the packets that follow those of the part before.
struct PlannedPart {
  std::int64_t packets = 0;  ///< at least 1
  std::uint64_t hash = 0;    ///< video::PacketHash of the packets
  /// Where the next part begins if faces are followed: the scene lies within the packets of the
  /// next part. nullopt: behind the packets. If faces are followed, the scene then goes on there,
  /// and both parts are only searched: see LongScene.
  std::optional<pipeline::SceneAfterCut> next{};
  std::optional<video::PacketPlace> before{};  ///< pipeline::PartJob::before
  friend bool operator==(const PlannedPart&, const PlannedPart&) = default;
};

/// How the output of one input is made in parts.
struct PartPlan {
  std::string program;                 ///< the version of the program that has made the plan
  std::vector<std::string> arguments;  ///< of this program, without its name: "split", "run" ...
  std::string input;                   ///< the absolute path of the input
  std::string folder;  ///< an absolute path: names of other files in `arguments` begin here
  std::string output;  ///< the file name of the output, without a folder; empty without video
  /// Threads of each encoder, because some encoders make other packets with more threads.
  int encoder_threads = 1;
  /// Faces are followed from frame to frame: those of `hide` without an edit file.
  bool follows_faces = false;
  std::vector<PlannedPart> parts;  ///< at least 1, and at most kMostParts
  friend bool operator==(const PartPlan&, const PartPlan&) = default;
};

/// Parts in a row whose faces must be followed in one pass, because no scene begins between them.
struct LongScene {
  std::size_t first = 0;  ///< a part's number, from 0
  std::size_t last = 0;   ///< over `first`
  friend bool operator==(const LongScene&, const LongScene&) = default;
};

/// Returns the long scenes of a plan, in their order; none if no faces are followed.
[[nodiscard]] std::vector<LongScene> long_scenes_of(const PartPlan& plan);

/// Returns the index of the first packet of each part, without that of the first part.
[[nodiscard]] std::vector<std::int64_t> cuts_of(const PartPlan& plan);

/// Returns the plan as JSON. Throws Error(usage) if a text of the plan isn't UTF-8.
[[nodiscard]] std::string part_plan_text(const PartPlan& plan);

/// Parses a plan. The text isn't trusted.
/// @param name  of the plan's file, for errors
/// Throws Error(input) for a text that isn't such a plan, and for plans of other versions.
[[nodiscard]] PartPlan parse_part_plan(std::string_view text, const std::string& name);

/// A plan and its identity.
struct NamedPlan {
  PartPlan plan;
  std::string sha256;  ///< of its text
};

/// Reads a plan from a file. Throws Error(input), also if another version of facepipe has made it.
[[nodiscard]] NamedPlan read_part_plan(const std::filesystem::path& file);

/// Returns the plan with the SHA-256 of its text.
[[nodiscard]] NamedPlan named(PartPlan plan);

/// Returns the text that identifies a plan and one of its parts, PartJob::key.
/// @param number  from 0
[[nodiscard]] std::string part_key(const NamedPlan& plan, std::size_t number);

/// Returns the name of a part file: "part-00001-0123456789abcdef", with the part's number from 1
/// and the first digits of its key.
[[nodiscard]] std::string part_file_name(const NamedPlan& plan, std::size_t number);

/// Returns PartJob::key of the job that follows and hides the faces of a long scene.
[[nodiscard]] std::string scene_key(const NamedPlan& plan, const LongScene& scene);

/// Returns the name of this job's part file: "scene-00001-0123456789abcdef", with the number of the
/// scene's first part from 1 and the first digits of the key.
[[nodiscard]] std::string scene_file_name(const NamedPlan& plan, const LongScene& scene);

}  // namespace facepipe::app
