#include "core/files/output_record.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <utility>

#include "core/files/descriptor.h"
#include "core/files/output_names.h"
#include "core/machine.h"

namespace facepipe::output_record {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMaker = "maker ";
constexpr std::string_view kWrites = "writes ";
constexpr std::string_view kPart = "part ";
constexpr std::string_view kKept = "kept ";
constexpr std::string_view kPartial = "partial ";
constexpr std::string_view kDamaged = "damaged ";

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

/// Returns the path of the temporary file of this name. Returns nullopt if the name isn't the name
/// of a temporary file of ours. A file of another name is not ours, even if the record lists it.
std::optional<fs::path> temporary_of(const fs::path& target, std::string_view escaped_name,
                                     const IsOurs& is_ours) {
  const std::optional<std::string> name = unescaped(escaped_name);
  if (!name || name->find('/') != std::string::npos) return std::nullopt;
  const std::string stem = without_temporary_suffix(*name);
  if (stem.empty()) return std::nullopt;
  const fs::path own = sibling_path(target, target.filename().string(), name->substr(stem.size()));
  if (own.filename() != *name && !(is_ours && is_ours(stem, NameOf::temporary)))
    return std::nullopt;
  return target.parent_path() / *name;
}

std::optional<fs::path> partial_of(const fs::path& target, std::string_view escaped_name,
                                   const IsOurs& is_ours = {}) {
  const std::optional<std::string> name = unescaped(escaped_name);
  if (!name || name->find('/') != std::string::npos) return std::nullopt;
  if (is_ours && is_ours(*name, NameOf::partial)) return target.parent_path() / *name;
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

/// Calls `use` with each line, without its line break. It skips a last line that has no line break,
/// because the program was killed while it wrote that line.
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

/// Describes the process that makes a file.
struct Maker {
  std::int64_t process = 0;
  Machine machine;
};

/// Parses "PROCESS BOOT HOST". The boot id is "-" if it wasn't known.
std::optional<Maker> parse_maker(std::string_view text) {
  Maker maker;
  maker.process = take_number(text);
  const std::size_t blank = text.find(' ');
  if (maker.process < 0 || blank == std::string_view::npos) return std::nullopt;
  if (text.substr(0, blank) != "-") maker.machine.boot = text.substr(0, blank);
  std::optional<std::string> host = unescaped(text.substr(blank + 1));
  if (!host) return std::nullopt;
  maker.machine.host = std::move(*host);
  return maker;
}

/// Returns whether a process that still has its number has already ended, or ends very soon. Its
/// number stays until its parent takes note of the end. If the parent was killed, this can take
/// seconds. In the sandbox, this process can't read about others in /proc.
bool has_ended(pid_t process) noexcept {
  // The lock was free, so a process that still runs is about to end, or has a number that was used
  // again.
  constexpr int kMostMs = 500;
  const Descriptor descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0U)));
  if (!descriptor) return errno == ESRCH;
  pollfd end{descriptor.number(), POLLIN, 0};
  return poll(&end, 1, kMostMs) > 0;
}

/// Returns whether the process may still make its file. A process of another machine counts,
/// because we can't see it.
bool may_still_run(const Maker& maker) {
  const Machine& here = this_machine();
  if (!maker.machine.is_same(here)) return true;
  const auto process = static_cast<pid_t>(maker.process);
  if (maker.machine.boot != here.boot || process == getpid() || process <= 0) return false;
  const bool has_number = kill(process, 0) == 0 || errno == EPERM;
  return has_number && !has_ended(process);
}

std::string maker_line() {
  const Machine& here = this_machine();
  return std::string(kMaker) + std::to_string(getpid()) + ' ' +
         (here.boot.empty() ? "-" : here.boot) + ' ' + escaped(here.host) + '\n';
}

/// Returns the target's size, or -1 if it is not a regular file. For example, the pattern of an
/// image sequence names no file.
std::int64_t size_of_target(const fs::path& target) {
  struct stat found {};
  return lstat(target.c_str(), &found) == 0 && S_ISREG(found.st_mode) ? found.st_size : -1;
}

/// Returns the size of a regular file that has no second name. A symbolic link, and a file with
/// several hard links, are not ours.
std::optional<std::int64_t> size_of_ours(const fs::path& file) {
  struct stat found {};
  if (lstat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_nlink != 1)
    return std::nullopt;
  return found.st_size;
}

/// Returns the file's name as a line of the record contains it.
std::string name_in_line(const fs::path& file) { return escaped(file.filename().string()); }

}  // namespace

std::string writes_lines(const fs::path& file) {
  return maker_line() + std::string(kWrites) + name_in_line(file) + '\n';
}

std::string part_line(const OutputPart& part) {
  return std::string(kPart) + std::to_string(part.begin) + ' ' + std::to_string(part.end) + ' ' +
         escaped(part.name) + '\n';
}

std::string kept_line(const fs::path& file) {
  return std::string(kKept) + name_in_line(file) + '\n';
}

std::string partial_line(const fs::path& file, const FileIdentity& identity) {
  return std::string(kPartial) + std::to_string(identity.bytes) + ' ' +
         std::to_string(identity.written_ns) + ' ' + name_in_line(file) + '\n';
}

std::string damaged_line(const fs::path& target, const std::string& damage) {
  return std::string(kDamaged) + std::to_string(size_of_target(target)) + ' ' + escaped(damage) +
         '\n';
}

std::vector<RecordedFile> made_files(std::string_view record, const fs::path& target,
                                     const IsOurs& is_ours) {
  std::vector<RecordedFile> files;
  bool known = false;    // whether we know the file that the lines are about
  bool may_run = false;  // whether the process that makes the file of the next line may still run
  for_each_line(record, [&](std::string_view line) {
    if (take(line, kMaker)) {
      const std::optional<Maker> maker = parse_maker(line);
      may_run = maker && may_still_run(*maker);
    } else if (take(line, kWrites)) {
      const std::optional<fs::path> path = temporary_of(target, line, is_ours);
      known = path.has_value();
      if (known) files.push_back({{*path, false, {}}, {}, std::exchange(may_run, false)});
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

std::string maker(std::string_view record) {
  std::optional<Maker> last;
  if (record.starts_with(kHeader))
    for_each_line(record, [&](std::string_view line) {
      if (take(line, kMaker)) last = parse_maker(line);
    });
  return last ? "process " + std::to_string(last->process) + " on " + last->machine.host : "";
}

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

std::vector<RecordedPartial> unchanged_partials(std::string_view record, const fs::path& target,
                                                const IsOurs& is_ours) {
  std::vector<RecordedPartial> partials;
  for_each_line(record, [&](std::string_view line) {
    if (!take(line, kPartial)) return;
    const std::int64_t bytes = take_number(line);
    const std::int64_t written_ns = take_number(line);
    const std::optional<fs::path> path = partial_of(target, line, is_ours);
    if (!path || size_of_ours(*path) != bytes) return;
    const std::optional<FileIdentity> now = identity_of_name(*path);
    if (now && now->written_ns == written_ns) partials.push_back({*path, *now});
  });
  return partials;
}

std::optional<std::string> recorded_damage(std::string_view record, const fs::path& target) {
  std::optional<std::string> damage;
  for_each_line(record, [&](std::string_view line) {
    if (!take(line, kDamaged)) return;
    const bool same_file = take_number(line) == size_of_target(target);
    damage = same_file ? unescaped(line) : std::nullopt;
  });
  return damage;
}

}  // namespace facepipe::output_record
