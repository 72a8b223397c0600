#include "app/quiet_libraries.h"

// Later versions use Abseil's log and have no handler of their own.
#if __has_include(<google/protobuf/stubs/logging.h>)
#include <google/protobuf/stubs/logging.h>
#define FACEPIPE_PROTOBUF_LOGS
#endif

#include <cstdlib>
#include <opencv2/core/utils/logger.hpp>

namespace facepipe {

void quiet_libraries() {
  constexpr int kKeep = 0;
  // hwloc reads the processor's topology for oneTBB, and tells where there is no /sys; 2: nothing.
  setenv("HWLOC_HIDE_ERRORS", "2", kKeep);
  // 0: what ends the process.
  setenv("SVT_LOG", "0", kKeep);
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
#ifdef FACEPIPE_PROTOBUF_LOGS
  google::protobuf::SetLogHandler(nullptr);
#endif
}

}  // namespace facepipe
