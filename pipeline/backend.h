// A device made ready for jobs: model and engine, once for all inputs.
#pragma once

#include <memory>
#include <string>

#include "detector/detector.h"
#include "pipeline/job.h"
#include "pipeline/stages.h"

namespace facepipe {

/// Not thread-safe; outlives its stages.
class Backend {
 public:
  virtual ~Backend() = default;

  /// The stages of one job; `options` must outlive them.
  [[nodiscard]] virtual std::unique_ptr<Stages> stages(const JobOptions& options) = 0;

  [[nodiscard]] virtual const EngineChoice& choice() const = 0;
  [[nodiscard]] virtual std::string model_kind() const = 0;    ///< "centerface", "yunet"
  [[nodiscard]] virtual std::string model_sha256() const = 0;  ///< lower-case hex
};

/// All on the CPU.
[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend(std::unique_ptr<DetectorFactory> detectors);

}  // namespace facepipe
