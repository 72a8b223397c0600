// Cards of models: a card that is accepted is written and read again the same.
#include "detector/cnn/model/card/card.h"

#include "tests/fuzz/targets.h"

namespace facepipe::fuzz {

void fuzz_card(Bytes input) {
  static const std::string model_sha256(64, 'a');
  const auto parse = [](std::string_view json) {
    return detector::parse_card(json, "f.json", model_sha256);
  };
  const auto card = parsed(ErrorKind::device, [&] { return parse(text_of(input)); });
  if (card) require(parse(to_json(*card)) == *card, "the card is written otherwise than read");
}

}  // namespace facepipe::fuzz
