// Makes the parts of a page about one input, from the entry of the report.
#pragma once

#include <string>
#include <vector>

#include "app/output/html/entry.h"
#include "app/output/html/markup.h"
#include "app/output/html/page.h"
#include "video/write/preview_pictures.h"

namespace facepipe::app {

/// Returns in one sentence how the input ended.
[[nodiscard]] std::string verdict_sentence(const Entry& entry);
/// Returns whether nothing is wrong: the exit code is 0, and no frame was lost or damaged.
[[nodiscard]] bool is_good(const Entry& entry);

[[nodiscard]] Markup run_header(const Entry& entry);
/// These functions return a card, or nothing if there is nothing to tell.
[[nodiscard]] Markup review_card(const Entry& entry);
[[nodiscard]] Markup notices_card(const Entry& entry);
[[nodiscard]] Markup damage_card(const Entry& entry);
[[nodiscard]] Markup pictures_card(const std::vector<video::PreviewPicture>& pictures);
[[nodiscard]] Markup stages_card(const Entry& entry);
/// Returns what ran on what, and all options in a part that is closed.
[[nodiscard]] Markup facts_cards(const Entry& entry);

}  // namespace facepipe::app
