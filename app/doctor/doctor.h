// Implements `facepipe doctor`, which prints what this machine can do.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "app/options/options.h"

namespace facepipe::app {

using Print = std::function<void(std::string_view)>;

/// Prints one line: "  WHAT          TEXT\n".
void print_line(const Print& print, std::string_view what, std::string_view text);

/// Returns FFmpeg's names of the encoders that doctor looks for.
[[nodiscard]] std::span<const char* const> encoders_named();

/// Prints version, libraries, devices, what the sandbox needs, codecs, model, cascades and engines,
/// in several calls of `print`. Runs each engine, in each precision, on one picture. Compares the
/// results of CUDA devices with the result of the CPU. Returns the exit code: 4 if no engine works
/// on the CPU, otherwise 0.
[[nodiscard]] int doctor(const DoctorOptions& options, const Print& print);

}  // namespace facepipe::app
