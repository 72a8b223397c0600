// Command lines, with one word in each line of the input.
#include <string>
#include <vector>

#include "app/options/options.h"
#include "tests/fuzz/targets.h"

namespace facepipe::fuzz {

void fuzz_command_line(Bytes input) {
  constexpr std::size_t kMostWords = 64;
  Pieces pieces(input);
  std::vector<std::string> words;
  while (!pieces.empty() && words.size() < kMostWords) words.emplace_back(pieces.line());
  // A file of options is another target's business, and a device could be named here.
  std::erase_if(words, [](const std::string& word) { return word.starts_with("--config"); });
  const auto command = parsed(ErrorKind::usage, [&] { return app::parse_command(words); });
  if (!command) return;
  const auto* const shown = std::get_if<app::ShowText>(&*command);
  require(shown == nullptr || !shown->text.empty(), "a command does nothing and shows nothing");
}

}  // namespace facepipe::fuzz
