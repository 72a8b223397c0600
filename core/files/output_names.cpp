#include "core/files/output_names.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <mutex>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/add_once.h"
#include "core/error.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporary = ".tmp-";
constexpr std::string_view kTemporaryLetters = "0123456789abcdefghijklmnopqrstuv";
constexpr std::size_t kTemporaryLength = 10;

std::uint64_t hash_of(std::string_view text) {  // the hash function is FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3U;
  }
  return hash;
}

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return {digits.data(), end};
}

std::mutex left_behind_mutex;
std::vector<std::string>& left_behind() {
  // It is never destroyed, so it outlives every other static object.
  static auto* const lines = new std::vector<std::string>;
  return *lines;
}

/// Shortens the text to at most `length` bytes, without splitting a UTF-8 character.
void cut(std::string& text, std::size_t length) {
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  text.resize(length);
}

/// Renames a file, but replaces no file. Some file systems can't refuse to replace a file. There
/// the function uses a link or, if that fails, first checks whether the name is free.
int rename_to_free_name(const fs::path& from, const fs::path& to) noexcept {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (link(from.c_str(), to.c_str()) == 0) {
    remove_file(from);
    return 0;
  }
  if (errno == EEXIST) return EEXIST;
  struct stat there {};
  if (lstat(to.c_str(), &there) == 0) return EEXIST;
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

std::string temporary_suffix() {
  std::random_device source;
  std::string text(kTemporary);
  for (std::size_t i = 0; i < kTemporaryLength; ++i)
    text += kTemporaryLetters[source() % kTemporaryLetters.size()];
  return text;
}

std::string without_temporary_suffix(const std::string& name) {
  constexpr std::size_t kLength = kTemporary.size() + kTemporaryLength;
  if (name.size() <= kLength) return {};
  const std::string_view whole = name;
  const std::string_view suffix = whole.substr(name.size() - kLength);
  const bool fits =
      suffix.starts_with(kTemporary) &&
      suffix.find_first_not_of(kTemporaryLetters, kTemporary.size()) == std::string_view::npos;
  return fits ? name.substr(0, name.size() - kLength) : std::string();
}

fs::path partial_name(const fs::path& target, int number) {
  const std::string mark = number > 1 ? ".partial-" + std::to_string(number) : ".partial";
  return sibling_path(target, target.stem().string(), mark + target.extension().string());
}

fs::path sibling_path(const fs::path& target, const std::string& stem, const std::string& rest) {
  const long known = pathconf(folder_of(target).c_str(), _PC_NAME_MAX);
  const std::size_t longest = known > 0 ? static_cast<std::size_t>(known) : 255;
  std::string name = stem;
  if (name.size() + rest.size() > longest) {
    const std::string hash = "~" + hexadecimal(hash_of(stem));
    cut(name, longest - std::min(longest, rest.size() + hash.size()));
    name += hash;
  }
  return target.parent_path() / (name + rest);
}

int rename_file(const fs::path& from, const fs::path& to, ExistingTarget existing) noexcept {
  if (existing == ExistingTarget::refuse) return rename_to_free_name(from, to);
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

void remove_file(const fs::path& file) noexcept {
  if (unlink(file.c_str()) == 0 || errno == ENOENT) return;
  const int code = errno;
  try {
    std::string line =
        file.string() + ": can't be removed: " + std::generic_category().message(code);
    const std::scoped_lock lock(left_behind_mutex);
    add_once(left_behind(), std::move(line));
  } catch (const std::exception&) {
    // There is no memory for the message.
  }
}

std::vector<std::string> take_files_left_behind() {
  const std::scoped_lock lock(left_behind_mutex);
  return std::exchange(left_behind(), {});
}

std::string rename_failure(int code) {
  return code == EEXIST ? "another program created this file during the run" : write_failure(code);
}

}  // namespace facepipe
