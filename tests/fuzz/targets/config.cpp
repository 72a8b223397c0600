// Files of options (--config), for each command. The first byte of the input is the command.
#include <array>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "tests/fuzz/targets.h"

namespace facepipe::fuzz {
namespace {

using Words = std::vector<std::string>;

const std::array<Words, 7> kCommands{{{"run", "clip.mp4"},
                                      {"hide", "clip.mp4"},
                                      {"detect", "clip.mp4"},
                                      {"verify", "clip.mp4", "hidden.mp4"},
                                      {"review", "clip.mp4"},
                                      {"plan", "run", "clip.mp4"},
                                      {"model", "check", "model.onnx"}}};

}  // namespace

void fuzz_config(Bytes input) {
  static const MemoryFile file;
  Pieces pieces(input);
  Words words = kCommands[pieces.byte() % kCommands.size()];
  file.hold(text_of(pieces.rest()));
  words.insert(words.end(), {"--config", file.path()});
  const auto command = parsed(ErrorKind::usage, [&] { return app::parse_command(words); });
  require(!command || !std::holds_alternative<app::ShowText>(*command),
          "a file of options asks for a text, and not for work");
}

}  // namespace facepipe::fuzz
