// Cuts inputs into parts.
#pragma once

#include <filesystem>
#include <stop_token>

#include "app/options/options.h"
#include "app/parts/part_plan.h"

namespace facepipe::app {

/// Returns whether a run follows faces from frame to frame in order to hide them.
[[nodiscard]] bool follows_faces(const RunOptions& options);

/// Plans the parts of one input: reads all packets of its video. If faces are followed, decodes the
/// pictures behind cuts until a scene begins. The parts are about equally long. There are fewer of
/// them if the input can't be cut at enough places.
/// @param input   a regular file
/// @param output  how the output is called; empty without video
/// Throws Error(usage) if the input is no regular file; the errors of video::Demuxer; Error(input)
/// if the input has no packets, or can't be read to its end; Stopped.
[[nodiscard]] PartPlan plan_parts(const RunOptions& options, const std::string& input,
                                  const std::filesystem::path& output, const std::stop_token& stop);

/// Carries out `facepipe split run`: writes the plan, and says how many parts it has. Returns the
/// exit code. Throws the errors of plan_parts(); Error(output).
[[nodiscard]] int split(const SplitOptions& options, const std::stop_token& stop);

}  // namespace facepipe::app
