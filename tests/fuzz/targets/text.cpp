// Texts of strangers (file names, tags, messages of libraries) that are shown or written: they
// can't control a terminal, and they are read back the same.
#include "app/output/text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/output/html/markup.h"
#include "app/output/line_format.h"
#include "tests/fuzz/targets.h"

namespace facepipe::fuzz {
namespace {

bool controls_terminal(std::string_view text) {
  return std::ranges::any_of(text, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7F;
  });
}

}  // namespace

void fuzz_text(Bytes input) {
  const std::string_view text = text_of(input);
  const std::string shown = terminal_text(text);
  require(!controls_terminal(shown), "a text controls the terminal");
  require(terminal_text(shown) == shown, "a safe text isn't safe");
  const std::string valid = app::utf8(text);
  require(app::utf8(valid) == valid, "valid UTF-8 changes");

  const std::string in_json = app::json_string(text);
  require(nlohmann::json::parse(in_json).get<std::string>() == valid, "JSON gives another text");
  const std::string object = "{\"file\":" + in_json + ",\"frame\":0}";
  require(app::input_of_json(object) == in_json, "a line of JSON names another input");

  const std::string in_html = app::escaped_text(text).string();
  require(in_html.find_first_of("<>\"") == std::string::npos, "a text is an element of a page");
  const std::string reference = app::reference_to(text);
  require(
      reference.find_first_of(":\"'<>?# \\") == std::string::npos && !controls_terminal(reference),
      "a reference leads elsewhere");

  const std::string field = app::csv_field(text);
  const std::string line = field + ",0";
  require(app::input_of_csv(line) == field, "a line of CSV names another input");
}

}  // namespace facepipe::fuzz
