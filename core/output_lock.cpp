#include "core/output_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader = "facepipe output 1\n";
constexpr std::string_view kWrites = "writes ";
constexpr std::string_view kPart = "part ";
constexpr std::string_view kKept = "kept ";
constexpr std::size_t kLongestRecord = std::size_t{256} << 20U;

std::string reason_of(int code) { return std::generic_category().message(code); }

/// One line of the record holds any name.
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
    result += static_cast<char>(value);
    i += 2;
  }
  return result;
}

/// A file of the record lies beside the target and nowhere else, whatever the record says.
std::optional<fs::path> beside(const fs::path& target, std::string_view escaped_name) {
  const std::optional<std::string> name = unescaped(escaped_name);
  if (!name || name->empty() || name->find('/') != std::string::npos || *name == "." ||
      *name == "..")
    return std::nullopt;
  return target.parent_path() / *name;
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

/// A regular file by this very name: what a link leads to isn't ours.
std::optional<std::int64_t> size_of_ours(const fs::path& file) {
  struct stat found {};
  if (lstat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_nlink != 1)
    return std::nullopt;
  return found.st_size;
}

/// One file of the record, with the name that it was going to get.
struct Recorded {
  Leftover file;
  fs::path kept_as;
};

std::vector<Recorded> parse_record(std::string_view text, const fs::path& target) {
  std::vector<Recorded> files;
  text.remove_prefix(kHeader.size());
  // A last line without its end was being written when the program was killed.
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const auto take = [&line](std::string_view key) {
      if (!line.starts_with(key)) return false;
      line.remove_prefix(key.size());
      return true;
    };
    if (take(kWrites)) {
      if (auto path = beside(target, line)) files.push_back({{*path, false, {}}, {}});
    } else if (files.empty()) {
      continue;
    } else if (take(kPart)) {
      if (auto part = parse_part(line)) files.back().file.parts.push_back(std::move(*part));
    } else if (take(kKept)) {
      if (auto path = beside(target, line)) files.back().kept_as = *path;
    }
  }
  return files;
}

/// Where the file is now: it may have been killed before or after it was renamed.
std::optional<Leftover> found_on_disk(Recorded recorded) {
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

std::uint64_t hash_of(std::string_view text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3U;
  }
  return hash;
}

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return {digits.data(), end};
}

/// Cut in front of a letter of UTF-8, not within.
void cut(std::string& text, std::size_t length) {
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  text.resize(length);
}

}  // namespace

fs::path name_beside(const fs::path& target, const std::string& stem, const std::string& rest) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const long known = pathconf(folder.c_str(), _PC_NAME_MAX);
  const std::size_t longest = known > 0 ? static_cast<std::size_t>(known) : 255;
  std::string name = stem;
  if (name.size() + rest.size() > longest) {
    const std::string hash = "~" + hexadecimal(hash_of(stem));
    cut(name, longest - std::min(longest, rest.size() + hash.size()));
    name += hash;
  }
  return target.parent_path() / (name + rest);
}

fs::path OutputLock::record_path(const fs::path& target) {
  return name_beside(target, "." + target.filename().string(), ".facepipe");
}

OutputLock::OutputLock(fs::path target)
    : target_(std::move(target)), record_(record_path(target_)) {
  open();
  if (file_ < 0) return;
  try {
    std::string text = read_record();
    if (text.empty()) {
      append("", std::string(kHeader.substr(0, kHeader.size() - 1)));
      return;
    }
    for (Recorded& recorded : parse_record(text, target_)) {
      std::optional<Leftover> leftover = found_on_disk(std::move(recorded));
      if (!leftover) continue;
      if (leftover->kept || !leftover->parts.empty())
        leftovers_.push_back(std::move(*leftover));
      else
        unlink(leftover->path.c_str());
    }
  } catch (...) {
    close(file_);
    throw;
  }
}

OutputLock::~OutputLock() {
  if (file_ < 0) return;
  if (!keeps_record_) unlink(record_.c_str());
  close(file_);
}

void OutputLock::open() {
  while (!try_open()) {
  }
}

/// False where the program that held the lock removed the file in between.
bool OutputLock::try_open() {
  constexpr mode_t kReadWrite = 0666;
  const int file =
      ::open(record_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, kReadWrite);
  if (file < 0 && errno == ELOOP) fail(record_.string() + " is in the way, a link");
  if (file < 0) fail("can't be written: " + reason_of(errno));
  struct stat opened {};
  struct stat named {};
  fstat(file, &opened);
  if (!S_ISREG(opened.st_mode)) {
    close(file);
    fail(record_.string() + " is in the way, which is no file of facepipe");
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    const bool empty = opened.st_size == 0;
    close(file);
    if (code == EWOULDBLOCK) fail("another run is writing it");
    if (code == EINTR) return false;
    if (empty) unlink(record_.c_str());
    return true;  // no locks here
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
  std::string text(std::min(size, kLongestRecord), '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t got =
        pread(file_, text.data() + length, text.size() - length, static_cast<off_t>(length));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  text.resize(length);
  // Killed while it wrote the header, it has made nothing yet.
  if (length < kHeader.size() && kHeader.starts_with(text)) {
    if (ftruncate(file_, 0) != 0) fail("can't be written: " + reason_of(errno));
    return {};
  }
  if (!text.starts_with(kHeader))
    fail(record_.string() + " is in the way, which is no file of facepipe");
  return text;
}

void OutputLock::append(std::string_view key, const std::string& text) const {
  if (const int code = try_append(std::string(key) + text + '\n'); code != 0)
    fail("can't be written: " + reason_of(code));
}

int OutputLock::try_append(std::string_view line) const noexcept {
  if (file_ < 0) return 0;
  lseek(file_, 0, SEEK_END);
  ssize_t written = -1;
  do written = ::write(file_, line.data(), line.size());
  while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(line.size())) return 0;
  return written < 0 ? errno : ENOSPC;
}

void OutputLock::writes(const fs::path& file) {
  append(kWrites, escaped(file.filename().string()));
}

void OutputLock::completed(const OutputPart& part) {
  append(kPart,
         std::to_string(part.begin) + ' ' + std::to_string(part.end) + ' ' + escaped(part.name));
}

void OutputLock::keeps(const fs::path& file) noexcept {
  static_cast<void>(try_append(std::string(kKept) + escaped(file.filename().string()) + '\n'));
}

void OutputLock::fail(const std::string& reason) const {
  throw Error(ErrorKind::output, target_.string() + ": " + reason);
}

}  // namespace facepipe
