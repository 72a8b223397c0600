// Makes parts that the reports of several commands have.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/time_spans.h"
#include "video/read/ledger.h"

namespace facepipe::app {

/// Returns a list of [from, to] in seconds.
[[nodiscard]] nlohmann::ordered_json spans_json(const TimeSpans& spans);
/// Returns when frames were lost, as spans_json() does.
[[nodiscard]] nlohmann::ordered_json lost_json(const video::FrameLedger& ledger);
/// Returns "facepipe" and the words, whose URLs are shortened by without_queries().
[[nodiscard]] nlohmann::ordered_json command_line_json(const std::vector<std::string>& words);

}  // namespace facepipe::app
