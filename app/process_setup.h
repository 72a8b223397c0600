// Makes the settings of the whole process, before the program does its work.
#pragma once

namespace facepipe::app {

/// Makes the settings of the system: what the last resort for errors removes, the number of heaps,
/// the three standard streams, and the ignored signals. main() must call this function first,
/// before there are threads. The last resort itself is installed before main() begins.
void set_up_process();

/// Makes the settings of libraries: the log (spdlog's and FFmpeg's). Prevents other libraries from
/// printing. Must be called after set_up_process(), and before there are threads that log.
void set_up_libraries();

}  // namespace facepipe::app
