#include "app/options/completion/completion.h"

#include "app/options/row.h"

namespace facepipe::app {
namespace {

using Script = std::string (*)();

const Choices<Script>& scripts() {
  static const Choices<Script> all{
      {"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
  return all;
}

}  // namespace

const std::vector<std::string_view>& shell_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> words;
    for (const auto& [name, script] : scripts()) words.push_back(name);
    return words;
  }();
  return names;
}

std::string completion_script(std::string_view shell) {
  return parse_choice({"SHELL", shell}, scripts())();
}

std::string shell_quoted(std::string_view text) {
  std::string word = "'";
  for (const char letter : text)
    word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + '\'';
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + shell_quoted(word);
  return all;
}

}  // namespace facepipe::app
