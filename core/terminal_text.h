// Makes text of strangers safe to show: names of files, and what is written in them.
#pragma once

#include <string>
#include <string_view>

namespace facepipe {

/// Returns one line that is safe on a terminal. Terminals execute control characters. So a file's
/// name or its content could clear the screen, forge lines, or change the direction of writing.
/// These characters, line breaks, and bytes that are not UTF-8 are replaced by "\x1b" or
/// "\u{202e}", for example. Other characters stay unchanged. A result stays unchanged, too.
[[nodiscard]] std::string terminal_text(std::string_view text);

/// Returns the terminal_text() of a text of several lines. A blank replaces each line break.
[[nodiscard]] std::string one_line(std::string text);

/// Returns the terminal_text() of a name that a file contains, for a message. Of a name of more
/// than 64 bytes, only the beginning and "..." are shown, so that it can't fill the message.
[[nodiscard]] std::string shown_name(std::string_view name);

}  // namespace facepipe
