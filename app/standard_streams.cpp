#include "app/standard_streams.h"

// Newer versions of protobuf use Abseil's log and have no handler of their own.
#if __has_include(<google/protobuf/stubs/logging.h>)
#include <google/protobuf/stubs/logging.h>
#define FACEPIPE_PROTOBUF_LOGS
#endif

#include <fcntl.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <opencv2/core/utils/logger.hpp>
#include <string>
#include <utility>

#include "app/output/command_text.h"
#include "app/output/text.h"
#include "video/ffmpeg.h"

namespace facepipe::app {
namespace {

constexpr const char* kLogger = "facepipe";

/// Makes a message safe with terminal_text(), because messages quote names and contents of files.
/// Addresses lose their queries, which may give access.
class SafeMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& to) override {
    const std::string text =
        terminal_text(without_queries({message.payload.data(), message.payload.size()}));
    to.append(text.data(), text.data() + text.size());
  }
  [[nodiscard]] std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<SafeMessage>();
  }
};

/// Opens an empty file without a name, for reading. Nobody can write the file, not even by opening
/// its name in /proc/self/fd (/dev/null could be written). Returns false if no file descriptor is
/// left.
bool open_nothing() {
  const int file = memfd_create("closed", MFD_ALLOW_SEALING);
  if (file < 0) return open("/dev/null", O_RDONLY) >= 0;
  fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
  const std::string name = "/proc/self/fd/" + std::to_string(file);
  const int reading = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (reading < 0)
    return true;  // without /proc, the file stays open for writing, but can't be written
  dup2(reading, file);
  close(reading);
  return true;
}

}  // namespace

void open_closed_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const bool closed = fcntl(descriptor, F_GETFD) < 0 && errno == EBADF;
    // The new file gets this descriptor, because all lower descriptors are open. The three streams
    // have no O_CLOEXEC.
    // without descriptors, the program can't report the error
    if (closed && !open_nothing()) return;
  }
}

int write_at_once(std::FILE* stream, std::string_view text) {
  errno = 0;
  const bool taken = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if ((taken && std::fflush(stream) == 0) || errno == EPIPE) return 0;
  return errno != 0 ? errno : EIO;
}

void print(std::string_view text) {
  if (const int code = write_at_once(stdout, terminal_lines(text)); code != 0)
    throw standard_output_error(code);
}

void print_to_stderr(std::string_view text) {
  static_cast<void>(write_at_once(stderr, terminal_lines(text)));
}

Error standard_output_error(int code) {
  return {ErrorKind::output, "standard output: " + write_failure(code)};
}

bool is_terminal(int descriptor) {
  const char* const terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

bool takes_colours(int descriptor) {
  const char* const refused = std::getenv("NO_COLOR");
  return is_terminal(descriptor) && (refused == nullptr || *refused == '\0');
}

void print_failure(const std::string& message) {
  if (spdlog::default_logger_raw()->name() == kLogger) {
    spdlog::error("{}", message);
    return;
  }
  // We don't use spdlog's default logger here. It writes to standard output, where the video may be
  // written.
  const std::string line =
      std::string(kLogger) + ": error: " + terminal_text(without_queries(message)) + '\n';
  static_cast<void>(write_at_once(stderr, line));
}

void start_log() {
  const auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>(kLogger, sink);
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<SafeMessage>('*').set_pattern(
      (is_terminal(STDERR_FILENO) ? std::string(kClearLine) : std::string()) + "facepipe: %l: %*");
  logger->set_formatter(std::move(formatter));
  logger->set_level(spdlog::level::info);
  logger->flush_on(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
  video::redirect_ffmpeg_log();
}

void set_log_level(spdlog::level::level_enum level) {
  spdlog::default_logger_raw()->set_level(level);
}

void quiet_libraries() {
  constexpr int kKeep = 0;
  // hwloc reads the processor's topology for oneTBB, and prints errors if there is no /sys. With 2,
  // hwloc prints nothing.
  setenv("HWLOC_HIDE_ERRORS", "2", kKeep);
  // With 0, SVT-AV1 prints only errors that end the process.
  setenv("SVT_LOG", "0", kKeep);
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
#ifdef FACEPIPE_PROTOBUF_LOGS
  google::protobuf::SetLogHandler(nullptr);
#endif
}

}  // namespace facepipe::app
