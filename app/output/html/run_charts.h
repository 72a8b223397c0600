// Makes the charts of a page about one input.
#pragma once

#include "app/output/html/entry.h"
#include "app/output/html/markup.h"
#include "app/output/html/run_series.h"

namespace facepipe::app {

/// Each function returns a card, or nothing if it has no values.
[[nodiscard]] Markup speed_card(const RunSeries& series);
[[nodiscard]] Markup latency_card(const RunSeries& series);
[[nodiscard]] Markup latency_counts_card(const RunSeries& series);
/// Also marks where frames were lost or damaged, as the entry says.
[[nodiscard]] Markup faces_card(const RunSeries& series, const Entry& entry);
[[nodiscard]] Markup sizes_card(const RunSeries& series);
/// Marks the score that faces must exceed, if the user chooses it.
[[nodiscard]] Markup scores_card(const RunSeries& series, const Entry& entry);
[[nodiscard]] Markup tracks_card(const RunSeries& series, const Entry& entry);

}  // namespace facepipe::app
