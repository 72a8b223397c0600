// Ranges of values of tensors: they are written and read again the same, except that numbers are
// rounded the first time.
#include "detector/cnn/model/i8_ranges.h"

#include "tests/fuzz/targets.h"

namespace facepipe::fuzz {

void fuzz_i8_ranges(Bytes input) {
  static const std::string model_sha256(64, 'a');
  const auto parse = [](std::string_view json) {
    return detector::parse_i8_ranges(json, "f", model_sha256);
  };
  const auto ranges = parsed(ErrorKind::device, [&] { return parse(text_of(input)); });
  if (!ranges) return;
  const std::string written = to_json(*ranges);
  const detector::I8Ranges again = parse(written);
  require(again.pictures == ranges->pictures, "the pictures are written otherwise than read");
  require(again.tensors.size() == ranges->tensors.size(), "a tensor is lost");
  require(to_json(again) == written, "rounded numbers are rounded again");
}

}  // namespace facepipe::fuzz
