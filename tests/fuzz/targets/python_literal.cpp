// Python's lists and dictionaries in the metadata of models.
#include "detector/cnn/model/card/python_literal.h"

#include "tests/fuzz/targets.h"

namespace facepipe::fuzz {
namespace {

std::string as_list(const std::vector<int>& numbers) {
  std::string text = "[";
  for (const int number : numbers) text += (text == "[" ? "" : ", ") + std::to_string(number);
  return text + "]";
}

}  // namespace

void fuzz_python_literal(Bytes input) {
  constexpr std::size_t kMost = 20;
  const std::string_view text = text_of(input);
  if (const auto numbers = detector::python_integers(text, kMost)) {
    require(numbers->size() <= kMost, "there are too many numbers");
    for (const int number : *numbers)
      require(number >= 0 && number <= 1'000'000, "a number is out of range");
    require(detector::python_integers(as_list(*numbers), kMost) == *numbers,
            "the numbers are read otherwise if they are written again");
  }
  if (const auto names = detector::python_names(text, kMost))
    require(names->size() <= kMost, "there are too many names");
}

}  // namespace facepipe::fuzz
