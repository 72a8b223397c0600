// The record beside an output file, which anybody may have written: a lock removes temporary files
// of its own target, but no other file.
#include <algorithm>
#include <array>
#include <filesystem>

#include "core/files/output_lock.h"
#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::fuzz {
namespace {

constexpr const char* kTemporary = "out.mp4.tmp-abcdefghij";
constexpr std::int64_t kTemporaryBytes = 10;
constexpr std::array kOthers{"out.mp4", "other.mp4",       "other.mp4.tmp-abcdefghij",
                             "x",       "out.partial.mp4", "tmp-abcdefghij"};

void check(const OutputLock& lock) {
  for (const Leftover& leftover : lock.leftovers())
    for (const OutputPart& part : leftover.parts)
      require(0 <= part.begin && part.begin <= part.end && part.end <= kTemporaryBytes,
              "a part lies outside of its file");
}

}  // namespace

/// If the input begins with "!", the rest is the whole record. Otherwise, it follows the record's
/// first line.
void fuzz_record(Bytes input) {
  static const test::TemporaryFolder folder;
  static const bool made = [] {
    for (const char* const name : kOthers) folder.write(name);
    return true;
  }();
  require(made, "the files were made");
  const bool whole = !input.empty() && input.front() == '!';
  const std::string text(text_of(whole ? input.subspan(1) : input));
  const std::string record = (whole ? "" : std::string(output_record::kHeader)) + text;
  folder.write(kTemporary, std::string(kTemporaryBytes, '0'));
  const std::filesystem::path target = folder / "out.mp4";
  folder.write(OutputLock::record_path(target).filename().string(), record);

  const auto damage = OutputLock::damage_of(target);
  require(!damage || damage->size() <= record.size(), "damage is longer than its record");
  static_cast<void>(parsed(ErrorKind::output, [&] {
    OutputLock lock(target);
    check(lock);
    lock.writes(folder / kTemporary);
    lock.finished();
    return true;
  }));
  for (const char* const name : kOthers)
    require(std::filesystem::exists(folder / name), std::string("a lock has removed ") + name);
  std::filesystem::remove(OutputLock::record_path(target));
}

}  // namespace facepipe::fuzz
