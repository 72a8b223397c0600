// The log of a review: a log that is accepted can be continued, and a log that is refused stays as
// it is.
#include "app/review/decision_log.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::fuzz {

void fuzz_decision_log(Bytes input) {
  static const test::TemporaryFolder folder;
  const std::string text(text_of(input));
  const std::filesystem::path path = folder.write("log.jsonl", text);
  const auto lines = parsed(ErrorKind::input, [&] {
    app::DecisionLog log(path);
    log.add({{"action", "opened"}});
    return log.lines();
  });
  if (!lines) {
    require(test::read_file(path) == text, "a log that was refused has changed");
    return;
  }
  const app::DecisionLog again(path);
  require(again.lines() == *lines, "a line is lost");
}

}  // namespace facepipe::fuzz
