// Makes OpenVINO's ov::Core, and first checks that OpenVINO can work on this system.
#pragma once

#include <filesystem>
#include <openvino/runtime/core.hpp>

namespace facepipe::detector {

/// Checks that the system has a file that describes the processors. Without such a file, OpenVINO
/// (2026.4) searches for processors for ever. Throws Error(device) if there is no such file. `root`
/// is the root of the file system; tests use another one.
void expect_processor_files(const std::filesystem::path& root = "/");

/// Makes a new ov::Core. Throws the errors of expect_processor_files().
[[nodiscard]] ov::Core make_openvino_core();

}  // namespace facepipe::detector
