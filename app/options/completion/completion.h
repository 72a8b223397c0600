// Makes the scripts with which shells complete command lines. A script contains all words that it
// offers, so completing never starts the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace facepipe::app {

/// Returns the shells that have a script: bash, zsh and fish.
[[nodiscard]] const std::vector<std::string_view>& shell_names();

/// Returns the script of a shell. Throws Error(usage) if there is none.
[[nodiscard]] std::string completion_script(std::string_view shell);

// Each of these functions returns the script of a shell, and has its own source.
[[nodiscard]] std::string bash_script();
[[nodiscard]] std::string zsh_script();
[[nodiscard]] std::string fish_script();

/// Returns `text` as one word of these shells: in single quotes, with the quotes in it escaped.
/// Bash and zsh write a quote within quotes as '\'', and so can fish.
[[nodiscard]] std::string shell_quoted(std::string_view text);

/// Returns the words, quoted and joined by blanks.
[[nodiscard]] std::string shell_words(const std::vector<std::string>& words);

}  // namespace facepipe::app
