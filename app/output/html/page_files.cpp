#include "app/output/html/page_files.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>

#include "app/output/command_text.h"
#include "app/output/existing_target.h"
#include "app/output/html/page.h"
#include "core/error.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNameBytes = 180;  // leaves room for the names of unfinished files

/// Returns whether a file is a page that facepipe has made.
bool is_our_page_file(const fs::path& path) {
  std::array<char, 2048> beginning{};
  std::ifstream stream(path, std::ios::binary);
  stream.read(beginning.data(), beginning.size());
  return is_our_page({beginning.data(), static_cast<std::size_t>(stream.gcount())});
}

/// Throws Error(output) if a file may not be replaced.
void check_page(const fs::path& path, ExistingOutput existing) {
  std::error_code error;
  const fs::path& target = checked_target(path, existing);
  const bool exists = fs::is_regular_file(target, error);
  if (existing == ExistingOutput::skip && exists && !is_our_page_file(target))
    throw Error(ErrorKind::output, target.string() +
                                       ": exists already, and is not a page of "
                                       "facepipe (--overwrite replaces it)");
}

/// Returns the longest beginning of `name` that has at most `most` bytes, without cutting a
/// character of UTF-8.
std::string cut(std::string name, std::size_t most) {
  if (name.size() <= most) return name;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80) --end;
  return name.substr(0, end);
}

/// Returns the input's name as the name of a file in one folder.
std::string flat(const std::string& name) {
  std::string text = cut(without_queries(name), kMostNameBytes);
  // Some systems have no files with these characters, and a page may be copied there.
  constexpr std::string_view kReplaced = "/\\:*?\"<>|";
  for (char& letter : text)
    if (kReplaced.find(letter) != std::string_view::npos ||
        static_cast<unsigned char>(letter) < 0x20)
      letter = '_';
  if (text.empty() || text.front() == '.') text.insert(0, 1, '_');
  return text;
}

}  // namespace

std::vector<std::string> page_names(const std::vector<std::string>& names) {
  std::vector<std::string> pages;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    const std::string begin = flat(name);
    std::string page = begin + ".html";
    for (int number = 2; !taken.insert(page).second; ++number)
      page = begin + "-" + std::to_string(number) + ".html";
    pages.push_back(page);
  }
  return pages;
}

PageFiles::PageFiles(const fs::path& path, const std::vector<std::string>& names,
                     ExistingOutput existing, const std::stop_token& stop)
    : existing_(existing), stop_(stop) {
  if (path.empty()) return;
  std::error_code error;
  check_page(path, existing);
  exists_already_ = fs::is_regular_file(path, error);
  folder_ = fs::path(path).replace_extension();
  pages_ = page_names(names);
  if (of_several() && fs::exists(folder_, error) && !fs::is_directory(folder_, error))
    throw Error(ErrorKind::output,
                folder_.string() + ": is not a folder, but the inputs' pages belong into it");
  for (const std::string& page : pages_) check_page(folder_ / page, existing);
  main_.emplace(path, at_the_end(existing), stop);
  if (existing == ExistingOutput::skip) main_->may_replace_what_is_there();
}

std::string PageFiles::page_of(std::size_t input) const {
  std::error_code error;
  if (!of_several() || !fs::is_regular_file(folder_ / pages_[input], error)) return {};
  return (folder_.filename() / pages_[input]).string();
}

void PageFiles::write_page(std::size_t input, const std::string& html) const {
  if (!of_several()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw Error(ErrorKind::output, folder_.string() + ": can't be made: " + error.message());
  OutputFile file(folder_ / pages_[input], at_the_end(existing_), stop_);
  if (existing_ == ExistingOutput::skip) file.may_replace_what_is_there();
  file.write_text(html);
  file.commit();
}

void PageFiles::commit(const std::string& html) {
  if (!main_) return;
  main_->write_text(html);
  main_->commit();
  committed_ = main_->target();
}

}  // namespace facepipe::app
