// The rows that review has alone.
#include "app/options/table.h"

namespace facepipe::app {
namespace {

constexpr const char* kReviewing = "Review";

}  // namespace

std::vector<Row> review_rows() {
  return {
      {.names = "--tracks",
       .kind = "FILE",
       .help =
           "An edit file of this input to begin with, which review doesn't change. Without it, "
           "review searches the input as detect does, and writes the tracks to NAME.tracks.json "
           "beside the edit file; if that file exists, review begins with it",
       .value = file_of({".json"}, [](Asked& to) -> auto& { return to.review.tracks; }),
       .excludes = {"--min-face", "--max-face", "--scale-factor", "--looks", "--every",
                    "--careful"},
       .places = {{kReview, kReviewing}}},
      {.names = "--edits",
       .kind = "FILE",
       .help = "The edit file that review writes. If it exists, review goes on with it. A log of "
               "all decisions is beside it, in NAME.log.jsonl",
       .fallback = "beside the input, NAME.edits.json",
       .value = file_of({".json"}, [](Asked& to) -> auto& { return to.review.edits; }),
       .places = {{kReview, kReviewing}}},
      {.names = "--reviewer",
       .kind = "NAME",
       .help = "Your name, for the log",
       .fallback = "your login name",
       .value = {AnyText{"a name",
                         [](Asked& to, std::string_view text) { to.review.reviewer = text; }}},
       .places = {{kReview, kReviewing}}},
      {.names = "--to",
       .kind = "FILE",
       .help =
           "Write the page as one file, with pictures inside, and start no server. Whoever opens "
           "it needs no facepipe, and saves the edit file as a download. The file shows the "
           "faces, so only its owner may read it",
       .value = file_of({".html"}, [](Asked& to) -> auto& { return to.review.to; }),
       .excludes = {"--no-open", "--reviewer"},
       .places = {{kReview, kReviewing}}},
      {.names = "--no-open",
       .help = "Only print the address of the page, and open no browser",
       .fallback = "open it",
       .value = flag([](Asked& to) -> bool& { return to.review.no_open; }),
       .places = {{kReview, kReviewing}}},
  };
}

}  // namespace facepipe::app
