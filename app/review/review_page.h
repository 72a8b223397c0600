// Holds the page of a review.
#pragma once

#include <string>

#include "app/review/http_message.h"

namespace facepipe::app {

/// Returns the page, which is the same for all videos. It loads its style sheet, its script and its
/// pictures from this server, and forbids the browser everything else. The script fills it in.
[[nodiscard]] HttpAnswer review_page();
[[nodiscard]] HttpAnswer review_style();
[[nodiscard]] HttpAnswer review_script();

/// Returns the beginning of the same page as one file, until its <body> has the page's elements. It
/// contains the style sheet. The data follow, and then review_file_end().
[[nodiscard]] std::string review_file_beginning();
/// Returns the script, which finds the data in the page, and the end of the page.
[[nodiscard]] std::string review_file_end();

extern const char* const kReviewStyle;
// The script's parts, in their order: who answers the page (facepipe, or the page itself if it is a
// file), what the page knows about tracks, how it groups and shows them, and what a person can do.
extern const char* const kReviewServedScript;
extern const char* const kReviewFileScript;
extern const char* const kReviewGroupsScript;
extern const char* const kReviewModelScript;
extern const char* const kReviewViewScript;
extern const char* const kReviewActionScript;

}  // namespace facepipe::app
