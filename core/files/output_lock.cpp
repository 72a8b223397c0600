#include "core/files/output_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/files/output_names.h"
#include "core/write_all.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader = "facepipe output 1\n";
constexpr std::string_view kWrites = "writes ";
constexpr std::string_view kPart = "part ";
constexpr std::string_view kKept = "kept ";
constexpr std::string_view kPartial = "partial ";
constexpr std::string_view kDamaged = "damaged ";
constexpr std::size_t kLongestRecord = std::size_t{256} << 20U;
constexpr int kMostTries = 100;

/// Escapes a name, so that any name fits in one line of the record.
std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >= 0x20 && letter != '%') {
      result += letter;
      continue;
    }
    result += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return result;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    unsigned value = 0;
    const char* const digits = text.data() + i + 1;
    if (text.size() - i < 3 || std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2)
      return std::nullopt;
    if (value == 0) return std::nullopt;
    result += static_cast<char>(value);
    i += 2;
  }
  return result;
}

/// Returns a temporary file that the record names, if its name is that of a temporary file of ours.
/// Any other file that a record names is not ours, whoever wrote the record.
std::optional<fs::path> temporary_of(const fs::path& target, std::string_view escaped_name,
                                     const OutputLock::IsOurs& is_ours) {
  const std::optional<std::string> name = unescaped(escaped_name);
  if (!name || name->find('/') != std::string::npos) return std::nullopt;
  const std::string stem = without_temporary_suffix(*name);
  if (stem.empty()) return std::nullopt;
  const fs::path own = name_beside(target, target.filename().string(), name->substr(stem.size()));
  if (own.filename() != *name && !(is_ours && is_ours(stem, OutputLock::NameOf::temporary)))
    return std::nullopt;
  return target.parent_path() / *name;
}

std::optional<fs::path> partial_of(const fs::path& target, std::string_view escaped_name,
                                   const OutputLock::IsOurs& is_ours = {}) {
  const std::optional<std::string> name = unescaped(escaped_name);
  if (!name || name->find('/') != std::string::npos) return std::nullopt;
  if (is_ours && is_ours(*name, OutputLock::NameOf::partial)) return target.parent_path() / *name;
  const std::size_t dash = name->rfind(".partial-");
  int number = 1;
  if (dash != std::string::npos) {
    const char* const digits = name->data() + dash + std::string_view(".partial-").size();
    if (std::from_chars(digits, name->data() + name->size(), number).ec != std::errc() ||
        number < 2)
      return std::nullopt;
  }
  fs::path partial = partial_name(target, number);
  if (partial.filename() != *name) return std::nullopt;
  return partial;
}

std::int64_t take_number(std::string_view& text) {
  std::int64_t value = -1;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (status != std::errc() || length >= text.size() || text[length] != ' ') return -1;
  text.remove_prefix(length + 1);
  return value;
}

std::optional<OutputPart> parse_part(std::string_view text) {
  OutputPart part;
  part.begin = take_number(text);
  part.end = take_number(text);
  std::optional<std::string> name = unescaped(text);
  if (part.begin < 0 || part.end < part.begin || !name) return std::nullopt;
  part.name = std::move(*name);
  return part;
}

/// Calls `use` with each line, without its end. If the last line has no end, the program was killed
/// while writing it.
template <typename Use>
void for_each_line(std::string_view record, const Use& use) {
  record.remove_prefix(kHeader.size());
  for (std::size_t end = record.find('\n'); end != std::string_view::npos;
       end = record.find('\n')) {
    use(record.substr(0, end));
    record.remove_prefix(end + 1);
  }
}

bool take(std::string_view& line, std::string_view key) {
  if (!line.starts_with(key)) return false;
  line.remove_prefix(key.size());
  return true;
}

/// Returns -1 if no regular file has this name. A sequence's pattern, for example, names no file.
std::int64_t size_of_target(const fs::path& target) {
  struct stat found {};
  return lstat(target.c_str(), &found) == 0 && S_ISREG(found.st_mode) ? found.st_size : -1;
}

/// Finds what the record says about damage of the file that is there now.
std::optional<std::string> recorded_damage(std::string_view record, const fs::path& target) {
  std::optional<std::string> damage;
  for_each_line(record, [&](std::string_view line) {
    if (!take(line, kDamaged)) return;
    const bool same_file = take_number(line) == size_of_target(target);
    damage = same_file ? unescaped(line) : std::nullopt;
  });
  return damage;
}

std::string read_all(int file, std::size_t size) {
  std::string text(std::min(size, kLongestRecord), '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t got =
        pread(file, text.data() + length, text.size() - length, static_cast<off_t>(length));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  text.resize(length);
  return text;
}

/// Returns the size of a regular file of this very name. A file that a link leads to isn't ours.
std::optional<std::int64_t> size_of_ours(const fs::path& file) {
  struct stat found {};
  if (lstat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_nlink != 1)
    return std::nullopt;
  return found.st_size;
}

/// Holds one file of the record, and the partial name that it was going to get.
struct RecordedFile {
  Leftover file;
  fs::path kept_as;
};

std::vector<RecordedFile> parse_record(std::string_view text, const fs::path& target,
                                       const OutputLock::IsOurs& is_ours) {
  std::vector<RecordedFile> files;
  bool known = false;  // whether we know the file that the lines are about
  for_each_line(text, [&](std::string_view line) {
    if (take(line, kWrites)) {
      const std::optional<fs::path> path = temporary_of(target, line, is_ours);
      known = path.has_value();
      if (known) files.push_back({{*path, false, {}}, {}});
    } else if (!known) {
      return;
    } else if (take(line, kPart)) {
      if (auto part = parse_part(line)) files.back().file.parts.push_back(std::move(*part));
    } else if (take(line, kKept)) {
      if (auto path = partial_of(target, line)) files.back().kept_as = *path;
    }
  });
  return files;
}

/// Finds where the file is now, because its run may have been killed before or after renaming it.
std::optional<Leftover> found_on_disk(RecordedFile recorded) {
  std::optional<std::int64_t> size = size_of_ours(recorded.file.path);
  if (!size && !recorded.kept_as.empty()) {
    recorded.file.path = recorded.kept_as;
    recorded.file.kept = true;
    size = size_of_ours(recorded.file.path);
  }
  if (!size) return std::nullopt;
  std::erase_if(recorded.file.parts, [&](const OutputPart& part) { return part.end > *size; });
  return std::move(recorded.file);
}

}  // namespace

fs::path OutputLock::record_path(const fs::path& target) {
  return name_beside(target, "." + target.filename().string(), ".facepipe");
}

OutputLock::OutputLock(fs::path target, const IsOurs& is_ours)
    : target_(std::move(target)), record_(record_path(target_)) {
  open();
  if (file_ < 0) return;
  try {
    read_leftovers(is_ours);
  } catch (...) {
    struct stat found {};
    if (fstat(file_, &found) == 0 && found.st_size == 0) remove_file(record_);
    close(file_);
    throw;
  }
}

void OutputLock::read_leftovers(const IsOurs& is_ours) {
  const std::string text = read_record();
  if (text.empty()) {
    append("", std::string(kHeader.substr(0, kHeader.size() - 1)));
    return;
  }
  for (RecordedFile& recorded : parse_record(text, target_, is_ours)) {
    std::optional<Leftover> leftover = found_on_disk(std::move(recorded));
    if (!leftover) continue;
    if (!leftover->parts.empty())
      leftovers_.push_back(std::move(*leftover));
    else if (!leftover->kept)
      remove_file(leftover->path);
  }
  read_partials(text, is_ours);
  keeps_record_ = !leftovers_.empty() || !partials_.empty() || recorded_damage(text, target_);
}

/// Reads the partial files that are still as recorded. If somebody has replaced one, it isn't ours.
void OutputLock::read_partials(std::string_view record, const IsOurs& is_ours) {
  for_each_line(record, [&](std::string_view line) {
    if (!take(line, kPartial)) return;
    const std::int64_t bytes = take_number(line);
    const std::int64_t written_ns = take_number(line);
    const std::optional<fs::path> path = partial_of(target_, line, is_ours);
    if (!path || size_of_ours(*path) != bytes) return;
    const std::optional<FileIdentity> now = identity_of_name(*path);
    if (now && now->written_ns == written_ns) partials_.push_back({*path, *now});
  });
}

OutputLock::~OutputLock() {
  if (file_ < 0) return;
  if (!keeps_record_) remove_file(record_);
  close(file_);
}

void OutputLock::open() {
  for (int i = 0; i < kMostTries; ++i)
    if (try_open()) return;
  fail("can't be locked: " + record_.string() + " keeps changing");
}

/// Returns false if the program that held the lock removed the file in between.
bool OutputLock::try_open() {
  constexpr mode_t kReadWrite = 0666;
  const int file =
      ::open(record_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, kReadWrite);
  if (file < 0 && errno == ELOOP)
    fail("can't be locked: " + record_.string() + " is a symbolic link");
  if (file < 0) fail(write_failure(errno));
  struct stat opened {};
  struct stat named {};
  fstat(file, &opened);
  if (!S_ISREG(opened.st_mode)) {
    close(file);
    fail("can't be locked: facepipe didn't write " + record_.string() + ", which is in the way");
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    const bool empty = opened.st_size == 0;
    close(file);
    if (code == EWOULDBLOCK) fail("another run is writing it");
    if (code == EINTR) return false;
    if (empty) remove_file(record_);
    return true;  // this file system has no locks
  }
  const bool same = lstat(record_.c_str(), &named) == 0 && named.st_ino == opened.st_ino &&
                    named.st_dev == opened.st_dev;
  if (!same) {
    close(file);
    return false;
  }
  file_ = file;
  return true;
}

std::string OutputLock::read_record() const {
  struct stat found {};
  fstat(file_, &found);
  const auto size = static_cast<std::size_t>(found.st_size);
  std::string text = read_all(file_, size);
  // A run that was killed while it wrote the header has made no file yet.
  if (text.size() < kHeader.size() && kHeader.starts_with(text)) {
    if (ftruncate(file_, 0) != 0) fail(write_failure(errno));
    return {};
  }
  if (!text.starts_with(kHeader))
    fail("can't be locked: facepipe didn't write " + record_.string() + ", which is in the way");
  return text;
}

void OutputLock::append(std::string_view key, const std::string& text) const {
  if (const int code = try_append(std::string(key) + text + '\n'); code != 0)
    fail(write_failure(code));
}

int OutputLock::try_append(std::string_view line) const noexcept {
  if (file_ < 0) return 0;
  const off_t end = lseek(file_, 0, SEEK_END);
  if (end < 0) return errno;
  const int code = write_all(file_, std::as_bytes(std::span(line)));
  // Half a line would make the next line unreadable.
  if (code != 0) static_cast<void>(ftruncate(file_, end));
  return code;
}

void OutputLock::writes(const fs::path& file) {
  append(kWrites, escaped(file.filename().string()));
  has_parts_ = false;
}

void OutputLock::completed(const OutputPart& part) {
  append(kPart,
         std::to_string(part.begin) + ' ' + std::to_string(part.end) + ' ' + escaped(part.name));
  has_parts_ = true;
}

void OutputLock::keeps(const fs::path& file) noexcept {
  static_cast<void>(try_append(std::string(kKept) + escaped(file.filename().string()) + '\n'));
}

void OutputLock::left_partial(const fs::path& file) noexcept {
  if (file_ < 0) return;
  const std::optional<FileIdentity> identity = identity_of_name(file);
  if (!identity) return;
  try {
    const std::string line = std::string(kPartial) + std::to_string(identity->bytes) + ' ' +
                             std::to_string(identity->written_ns) + ' ' +
                             escaped(file.filename().string()) + '\n';
    if (try_append(line) == 0) keeps_record_ = true;
  } catch (const std::bad_alloc&) {
    // The file stays all the same, but a later success doesn't know of it.
  }
}

void OutputLock::finished() noexcept {
  for (const Recorded& partial : partials_)
    if (identity_of_name(partial.path) == partial.identity) remove_file(partial.path);
  partials_.clear();
  keeps_record_ = false;
  record_damage();
}

void OutputLock::record_damage() noexcept {
  if (file_ < 0 || ends_damaged_.empty()) return;
  // The record's lines are no longer needed, unless they tell of parts that a later run can take
  // over.
  const bool over = leftovers_.empty() && !has_parts_;
  if (over && ftruncate(file_, static_cast<off_t>(kHeader.size())) != 0) return;
  try {
    const std::string line = std::string(kDamaged) + std::to_string(size_of_target(target_)) + ' ' +
                             escaped(ends_damaged_) + '\n';
    keeps_record_ = try_append(line) == 0;
  } catch (const std::bad_alloc&) {
    // This run reports the damage, but a later run won't.
  }
}

std::optional<std::string> OutputLock::damage_of(const fs::path& target) {
  const int file =
      ::open(record_path(target).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat found {};
  std::string text;
  if (fstat(file, &found) == 0 && S_ISREG(found.st_mode))
    text = read_all(file, static_cast<std::size_t>(found.st_size));
  close(file);
  return text.starts_with(kHeader) ? recorded_damage(text, target) : std::nullopt;
}

void OutputLock::fail(const std::string& reason) const {
  throw Error(ErrorKind::output, target_.string() + ": " + reason);
}

}  // namespace facepipe
