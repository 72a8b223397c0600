// The program: arguments in, exit code out.
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/backends.h"
#include "app/doctor.h"
#include "app/last_resort.h"
#include "app/log.h"
#include "app/options.h"
#include "app/outcome.h"
#include "app/run.h"
#include "app/stop_signals.h"
#include "core/error.h"

namespace facepipe {
namespace {

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int execute(const ShowText& shown) {
  print(shown.text);
  return kExitDone;
}

int execute(const DoctorOptions& options) {
  start_log(LogLevel::error);
  return doctor(options, print);
}

int execute(const RunOptions& options) {
  const StopSignals signals;
  start_log(options.quiet ? LogLevel::error : options.log_level);
  const auto job = [](const JobOptions& job_options, Backend& backend, const JobObserver& observer,
                      const std::stop_token& stop) {
    return run_job(job_options, backend.stages(job_options), observer, stop);
  };
  return run(options, {output_format_for, probe_cuda, make_backend, job}, signals.token());
}

}  // namespace
}  // namespace facepipe

int main(int argc, char** argv) {
  using namespace facepipe;
  install_last_resort();
  // A reader that went away must not end a run that still has files to finish.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    start_log(LogLevel::info);
    const Command command = parse_command(std::vector<std::string>(argv + 1, argv + argc));
    return std::visit([](const auto& options) { return execute(options); }, command);
  } catch (const Error& error) {
    spdlog::error("{}", reason_of(error));
    return exit_code(error.kind());
  } catch (const std::exception& error) {
    spdlog::error("{}", reason_of(error));
  } catch (...) {
    spdlog::error("an exception of an unknown kind");
  }
  return exit_code(ErrorKind::internal);
}
