// Says for each command which files, and which connections, its options need.
#pragma once

#include "app/options/options.h"
#include "app/sandbox/sandbox.h"

namespace facepipe::app {

/// Says whether a command carries out its options, or only tells what would happen.
enum class Doing { work, plan };

/// Returns what the options need: the inputs, the models and all that stands beside them may be
/// read, and the folders of all outputs may be written. With --allow-references, every file may be
/// read, and every host be reached, because an input may name any.
[[nodiscard]] SandboxNeeds needs_of(const RunOptions& options, Doing doing = Doing::work);
[[nodiscard]] SandboxNeeds needs_of(const SplitOptions& options);
[[nodiscard]] SandboxNeeds needs_of(const ReviewOptions& options);
[[nodiscard]] SandboxNeeds needs_of(const VerifyOptions& options);
[[nodiscard]] SandboxNeeds needs_of(const CalibrateOptions& options);
[[nodiscard]] SandboxNeeds needs_of(const ModelCheckOptions& options);

}  // namespace facepipe::app
