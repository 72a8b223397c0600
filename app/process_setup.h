// What is set once for the whole process, before the program does its work.
#pragma once

namespace facepipe::app {

/// Sets what the program asks of the system: the last resort for errors, the number of heaps, the
/// three standard streams, and signals that are ignored. Called first in main(), before there are
/// threads.
void set_up_process();

/// Sets what libraries keep for the whole process: the log (spdlog's and FFmpeg's), and that the
/// others print nothing. Called after set_up_process(), before there are threads that log.
void set_up_libraries();

}  // namespace facepipe::app
