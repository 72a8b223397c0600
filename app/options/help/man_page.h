// Makes man pages: facepipe.1, and facepipe-COMMAND.1 of each command.
#pragma once

#include <string>

namespace facepipe::app {

/// Returns the man page of a command ("model check"), or of the program if `name` is empty, in the
/// macros of man(7). `date` is the date that the page shows (YYYY-MM-DD); it may be empty. Throws
/// Error(usage) if there is no such command.
[[nodiscard]] std::string man_page(const std::string& name, const std::string& date);

/// Returns the date of the environment variable SOURCE_DATE_EPOCH, with which packagers say when
/// the source was made (reproducible-builds.org/specs/source-date-epoch). Returns nothing if it
/// isn't set or isn't a time. So a page never depends on the time at which it was printed.
[[nodiscard]] std::string date_of_source();

}  // namespace facepipe::app
