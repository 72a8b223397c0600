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

/// Makes end_process() leave out the destructors of static objects, and all that libraries do when
/// the process ends. After a run on CUDA this takes 0.05 s, and frees what the system frees anyway.
/// Does nothing if a tool watches CUDA, because such tools write their results at the end.
void skip_static_destructors();

/// Ends the process with `code` if skip_static_destructors() was called. Otherwise, returns `code`,
/// which main() must return.
[[nodiscard]] int end_process(int code);

}  // namespace facepipe::app
