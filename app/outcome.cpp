#include "app/outcome.h"

#include <algorithm>
#include <exception>

#include "app/last_resort.h"
#include "core/error.h"

namespace facepipe {
namespace {

std::string named(const std::string& name, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  return message.find(name) == std::string::npos ? name + ": " + message : message;
}

}  // namespace

std::optional<Failure> attempt(const std::string& name, const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const Error& error) {
    return Failure{exit_code(error.kind()), named(name, error.what())};
  } catch (const Stopped&) {
    return Failure{kExitInterrupted, named(name, "interrupted before there was any output")};
  } catch (const std::exception& error) {
    return Failure{exit_code(ErrorKind::internal), named(name, reason_of(error))};
  } catch (...) {
    return Failure{exit_code(ErrorKind::internal), named(name, "an exception of an unknown kind")};
  }
}

}  // namespace facepipe
