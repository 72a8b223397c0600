#include "app/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>

#include "video/ffmpeg.h"

namespace facepipe {
namespace {

constexpr const char* kClearLine = "\r\033[K";

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

void start_log(LogLevel level) {
  const auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>("facepipe", sink);
  logger->set_pattern((isatty(STDERR_FILENO) == 1 ? std::string(kClearLine) : std::string()) +
                      "facepipe: %l: %v");
  logger->set_level(to_spdlog(level));
  logger->flush_on(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
  redirect_ffmpeg_log();
}

}  // namespace facepipe
