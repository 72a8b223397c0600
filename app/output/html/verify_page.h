// Makes the page about a verification.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace facepipe::app {

/// The most findings that a page lists and draws. The worst ones come first.
inline constexpr std::size_t kMostListedFindings = 200;
inline constexpr std::size_t kMostDrawnFindings = 600;

/// Returns the page as HTML. It has no pictures, because they could show faces.
/// @param report  made by verify_report()
[[nodiscard]] std::string verify_page(const nlohmann::ordered_json& report);

}  // namespace facepipe::app
