// Makes the ov::Core of OpenVINO, if OpenVINO can work at all.
#pragma once

#include <filesystem>
#include <openvino/runtime/core.hpp>

namespace facepipe::detector {

/// Checks that files describe the processors. If OpenVINO (2026.4) can't read such a file, it
/// searches for processors without end.
/// @param root  of the file system, for tests
/// Errors: Error(device).
void expect_processor_files(const std::filesystem::path& root = "/");

/// Makes a new ov::Core. Errors: as expect_processor_files().
[[nodiscard]] ov::Core make_openvino_core();

}  // namespace facepipe::detector
