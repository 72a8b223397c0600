// Opens an address in the user's browser.
#pragma once

#include <string>

namespace facepipe::app {

/// Asks the desktop to open the address. Does nothing if there is no desktop, or if it doesn't know
/// how: the user then opens the address that was printed.
void open_browser(const std::string& address);

}  // namespace facepipe::app
