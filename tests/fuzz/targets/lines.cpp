// Files of detections and of latencies that an earlier run has left: lines that are taken over are
// all there afterwards, unchanged.
//
// The first byte of the input says which format the file has, and whether it has its own name or
// is what a killed run has left.
#include "app/output/input_lines.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::fuzz {
namespace {

app::LineFormat format_of(bool csv) {
  if (csv) return {"file,frame\n", app::input_of_csv};
  return {"", app::input_of_json};
}

/// Writes what a run leaves that was killed after it had written the header and then `lines` for
/// one input.
void leave_temporary(const std::filesystem::path& target, const std::string& header,
                     const std::string& lines) {
  OutputLock lock(target);
  const std::filesystem::path temporary = target.string() + ".tmp-abcdefghij";
  const std::string text = header + lines;
  lock.writes(temporary);
  require(write_new_file(temporary, std::as_bytes(std::span(text))) == 0, "the file is written");
  lock.completed({"\"a\"", std::ssize(header), std::ssize(text)});
  lock.keep_record(true);
}

std::vector<std::string> sorted_lines(const std::string& text) {
  Pieces pieces({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  std::vector<std::string> lines;
  while (!pieces.empty()) lines.emplace_back(pieces.line());
  std::ranges::sort(lines);
  return lines;
}

/// Continues the file as a run does that skips all of its inputs. Returns whether it may do so.
bool take_over(const std::filesystem::path& target, bool csv) {
  return parsed(ErrorKind::output,
                [&] {
                  app::InputLines lines(target, format_of(csv), app::ExistingOutput::skip, {});
                  static_cast<void>(lines.has("\"a\""));
                  lines.commit();
                  return true;
                })
      .has_value();
}

}  // namespace

void fuzz_lines(Bytes input) {
  static const test::TemporaryFolder folder;
  Pieces pieces(input);
  const unsigned mode = pieces.byte();
  const bool csv = (mode & 1U) != 0;
  const bool finished = (mode & 2U) != 0;
  const std::string text(text_of(pieces.rest()));
  const std::filesystem::path target = folder / "faces.txt";
  for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
  if (finished)
    folder.write("faces.txt", text);
  else
    leave_temporary(target, format_of(csv).header, text);
  if (!take_over(target, csv)) {
    require(!finished || test::read_file(target) == text, "a file that was refused has changed");
    return;
  }
  const std::string taken = test::read_file(target);
  const std::string expected = text.empty() ? format_of(csv).header : text;
  if (finished)
    require(sorted_lines(taken) == sorted_lines(expected), "a line is lost, or has changed");
  require(take_over(target, csv), "a run can't continue what a run has written");
  require(test::read_file(target) == taken, "a file changes although nothing is new");
}

}  // namespace facepipe::fuzz
