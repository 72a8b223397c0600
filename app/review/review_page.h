// Holds the page of a review.
#pragma once

#include "app/review/http_message.h"

namespace facepipe::app {

/// Returns the page, which is the same for all videos. It loads its style sheet, its script and its
/// pictures from this server, and forbids the browser everything else. The script fills it in.
[[nodiscard]] HttpAnswer review_page();
[[nodiscard]] HttpAnswer review_style();
[[nodiscard]] HttpAnswer review_script();

extern const char* const kReviewStyle;
// The script's parts, in their order: what the page knows about tracks, how it shows them, and what
// a person can do.
extern const char* const kReviewModelScript;
extern const char* const kReviewViewScript;
extern const char* const kReviewActionScript;

}  // namespace facepipe::app
