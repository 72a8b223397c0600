// Replays the corpora of the fuzz targets, without a fuzzer and without sanitizers: what the
// fuzzers begin with, and what they have found.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::fuzz {
namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  void (*run)(Bytes input);
};

constexpr std::array kTargets{
    Target{"acf", fuzz_acf},
    Target{"card", fuzz_card},
    Target{"cascade", fuzz_cascade},
    Target{"command_line", fuzz_command_line},
    Target{"config", fuzz_config},
    Target{"decision_log", fuzz_decision_log},
    Target{"headers", fuzz_headers},
    Target{"http", fuzz_http},
    Target{"i8_ranges", fuzz_i8_ranges},
    Target{"job", fuzz_job},
    Target{"labels", fuzz_labels},
    Target{"lines", fuzz_lines},
    Target{"onnx", fuzz_onnx},
    Target{"part_file", fuzz_part_file},
    Target{"part_plan", fuzz_part_plan},
    Target{"pictures", fuzz_pictures},
    Target{"python_literal", fuzz_python_literal},
    Target{"record", fuzz_record},
    Target{"report", fuzz_report},
    Target{"review", fuzz_review},
    Target{"segments", fuzz_segments},
    Target{"subtitles", fuzz_subtitles},
    Target{"text", fuzz_text},
    Target{"tracks", fuzz_tracks},
    Target{"unchanged", fuzz_unchanged},
    Target{"values", fuzz_values},
    Target{"worker", fuzz_worker},
};

const fs::path kCorpora = FACEPIPE_SOURCE_DIR "/tests/fuzz/corpus";

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

class Replay : public testing::TestWithParam<Target> {};

TEST_P(Replay, KeepsAllPromises) {
  const std::vector<fs::path> files = sorted_entries(kCorpora / GetParam().name);
  EXPECT_GE(files.size(), 2U) << "a fuzzer needs inputs to begin with";
  for (const fs::path& file : files) {
    const std::string text = test::read_file(file);
    const Bytes input{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
    EXPECT_NO_THROW(GetParam().run(input)) << file;
    // Files are often cut off.
    constexpr std::size_t kCuts = 16;
    for (std::size_t i = 0; i < kCuts; ++i) {
      const std::size_t length = input.size() * i / kCuts;
      EXPECT_NO_THROW(GetParam().run(input.first(length)))
          << "the first " << length << " bytes of " << file;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Replay, testing::ValuesIn(kTargets),
                         [](const auto& shown) { return shown.param.name; });

TEST(Replays, EachCorpusHasATarget) {
  std::vector<std::string> targets;
  for (const Target& target : kTargets) targets.emplace_back(target.name);
  std::vector<std::string> corpora;
  for (const fs::path& folder : sorted_entries(kCorpora)) corpora.push_back(folder.filename());
  EXPECT_EQ(corpora, targets);
  std::vector<std::string> sources;
  for (const fs::path& file : sorted_entries(FACEPIPE_SOURCE_DIR "/tests/fuzz/targets"))
    sources.push_back(file.stem());
  EXPECT_EQ(sources, targets);
}

/// An error that breaks Error's promise to be one line.
class SeveralLines final : public Error {
 public:
  SeveralLines() : Error(ErrorKind::input, "") {}
  [[nodiscard]] const char* what() const noexcept override { return "two\nlines"; }
};

TEST(Replays, ABrokenPromiseIsNoticed) {
  EXPECT_THROW(require(false, "broken"), BrokenPromise);
  const auto refuses = [](ErrorKind kind, const std::string& message) {
    return parsed(ErrorKind::input, [&]() -> int { throw Error(kind, message); });
  };
  EXPECT_EQ(refuses(ErrorKind::input, "one line"), std::nullopt);
  EXPECT_THROW(static_cast<void>(refuses(ErrorKind::device, "one line")), BrokenPromise);
  EXPECT_EQ(refuses(ErrorKind::input, "two\nlines"), std::nullopt) << "Error makes one line of it";
  EXPECT_THROW(static_cast<void>(parsed(ErrorKind::input, []() -> int { throw SeveralLines(); })),
               BrokenPromise);
  EXPECT_THROW(static_cast<void>(refuses(ErrorKind::input, std::string(5000, 'a'))), BrokenPromise);
  const auto fails = [] {
    return parsed(ErrorKind::input, []() -> int { throw std::out_of_range("not an Error"); });
  };
  EXPECT_THROW(static_cast<void>(fails()), std::out_of_range);
}

}  // namespace
}  // namespace facepipe::fuzz
