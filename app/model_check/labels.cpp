#include "app/model_check/labels.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/limits.h"
#include "detector/model_file.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

constexpr detector::FileLimit kLimit{std::uintmax_t{16} << 20, "larger than 16 MiB"};
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// Cuts the last word off `text` and returns it.
std::string_view take_last_word(std::string_view& text) {
  text = trimmed(text);
  const std::size_t blank = text.find_last_of(kBlanks);
  const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view word = text.substr(begin);
  text = trimmed(text.substr(0, begin));
  return word;
}

template <typename Number>
std::optional<Number> number_in(std::string_view word) {
  Number number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool whole = error == std::errc() && end == word.data() + word.size();
  return whole ? std::optional(number) : std::nullopt;
}

class Labels {
 public:
  explicit Labels(const fs::path& folder)
      : file_(folder / "labels.txt"), images_(folder / "images") {}

  std::vector<LabelledPicture> read() {
    const std::string text = detector::read_file(file_, kLimit, [&](const std::string& reason) {
      throw Error(ErrorKind::input, file_.string() + ": " + reason);
    });
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++line_;
      add(trimmed(std::string_view(text).substr(begin, end - begin)));
      begin = end + 1;
    }
    if (pictures_.empty()) throw Error(ErrorKind::input, file_.string() + ": names no picture");
    return std::move(pictures_);
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorKind::input,
                file_.string() + ": line " + std::to_string(line_) + ": " + reason);
  }

  void add(std::string_view line) {
    if (line.empty()) return;
    if (line.front() == '#')
      add_picture(line.substr(1));
    else
      add_face(line);
  }

  void add_picture(std::string_view line) {
    const std::optional<int> height = number_in<int>(take_last_word(line));
    const std::optional<int> width = number_in<int>(take_last_word(line));
    const auto possible = [](std::optional<int> side) {
      return side && *side >= 1 && *side <= kMaxPictureSide;
    };
    if (line.empty() || !possible(width) || !possible(height))
      refuse("not '# NAME WIDTH HEIGHT' of a picture");
    const fs::path name(line);
    if (name.is_absolute() || std::ranges::count(name, fs::path("..")) > 0)
      refuse("its name leaves the folder of the pictures");
    if (!names_.insert(name.lexically_normal()).second) refuse("this picture was named before");
    pictures_.push_back({images_ / name, {*width, *height}, {}});
  }

  void add_face(std::string_view line) {
    std::array<float, 4> corners{};
    for (std::size_t i = corners.size(); i-- > 0;) {
      const std::optional<float> corner = number_in<float>(take_last_word(line));
      if (!corner || !std::isfinite(*corner)) refuse("not the four numbers X1 Y1 X2 Y2 of a face");
      corners[i] = *corner;
    }
    if (!line.empty()) refuse("not the four numbers X1 Y1 X2 Y2 of a face");
    const Box face{corners[0], corners[1], corners[2], corners[3]};
    if (!(face.width() > 0 && face.height() > 0)) refuse("a face without area");
    if (pictures_.empty()) refuse("a face before the first picture");
    pictures_.back().faces.push_back(face);
  }

  const fs::path file_;
  const fs::path images_;
  int line_ = 0;
  std::set<fs::path> names_;
  std::vector<LabelledPicture> pictures_;
};

}  // namespace

std::vector<LabelledPicture> read_labels(const fs::path& folder) { return Labels(folder).read(); }

}  // namespace facepipe::app
