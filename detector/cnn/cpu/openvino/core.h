// Makes OpenVINO's entry, where OpenVINO can work at all.
#pragma once

#include <filesystem>
#include <openvino/runtime/core.hpp>

namespace facepipe::detector {

/// Where it can read nothing of the processors, OpenVINO (2026.4) looks for them without end.
/// @param root  of the file system, for tests
/// Errors: Error(device).
void expect_processor_files(const std::filesystem::path& root = "/");

/// Makes a new ov::Core. Errors: as expect_processor_files().
[[nodiscard]] ov::Core make_openvino_core();

}  // namespace facepipe::detector
