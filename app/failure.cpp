#include "app/failure.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/passing_error.h"
#include "core/terminal_text.h"

namespace facepipe::app {
namespace {

std::atomic<void (*)()> g_hook = nullptr;
std::atomic_flag g_ending;

void print(std::string_view text) noexcept {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

bool is_out_of_threads(const std::exception& error) {
  const auto* const system = dynamic_cast<const std::system_error*>(&error);
  return system != nullptr && system->code() == std::errc::resource_unavailable_try_again;
}

bool is_out_of_resources(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr || is_out_of_threads(error);
}

/// Returns whether a terminal would execute the character at the beginning of `text`.
/// terminal_text() also replaces other characters, but those can't do harm in the program's last
/// line.
bool is_obeyed(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const auto second = static_cast<unsigned char>(text.size() > 1 ? text[1] : 0);
  const bool c1 = first == 0xC2 && second >= 0x80 && second < 0xA0;
  return first < 0x20 || first == 0x7F || c1;
}

/// Prints a text, with a blank in place of each character that a terminal would execute. Prints the
/// text piece by piece and without allocation, because the heap may be what has failed.
void print_safely(std::string_view text) noexcept {
  while (!text.empty()) {
    std::size_t end = 0;
    while (end < text.size() && !is_obeyed(text.substr(end))) ++end;
    print(text.substr(0, end));
    text.remove_prefix(end);
    if (text.empty()) return;
    print(" ");
    text.remove_prefix(text.front() == '\xC2' ? 2 : 1);
  }
}

/// Prints what reason_of() returns, but without allocation.
void print_reason(const std::exception& error) noexcept {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return print("out of memory");
  if (is_out_of_threads(error)) print("can't start a thread: ");
  print_safely(error.what());
}

void print_current() noexcept {
  print("facepipe: error: ");
  try {
    if (std::current_exception() == nullptr)
      print("ended by std::terminate");
    else
      throw;
  } catch (const std::exception& error) {
    print_reason(error);
  } catch (...) {
    print("an unknown exception");
  }
  print("\n");
}

[[noreturn]] void end_after(void (*print_why)()) noexcept {
  thread_local bool again = false;
  if (std::exchange(again, true)) _exit(exit_code(ErrorKind::internal));  // the hook failed
  // If another thread is already ending the program, this thread waits for the end.
  while (g_ending.test_and_set()) pause();
  print_why();
  if (void (*const hook)() = g_hook.exchange(nullptr)) hook();
  _exit(exit_code(ErrorKind::internal));
}

[[noreturn]] void on_terminate() noexcept { end_after(print_current); }

extern "C" void on_abort(int /*number*/) {
  end_after([] { print("facepipe: error: a library has aborted the program\n"); });
}

/// Ends the program after a fault. A library may have used a null pointer without checking it, as
/// some libraries do if there is no memory left.
extern "C" void on_fault(int /*number*/) {
  end_after([] {
    print(
        "facepipe: error: a fault in facepipe or in a library has ended the program; the "
        "system may have no memory left\n");
  });
}

/// Installs on_fault() for faults, unless there already is a handler, such as a sanitizer's.
/// on_fault() runs on the thread's alternate signal stack, if the thread has one.
void catch_faults() {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = on_fault;
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

std::string named(const std::string& name, const std::string& message) {
  const std::string shown = one_line(name);  // an Error shows names in this way, too
  return message.find(shown) == std::string::npos ? shown + ": " + message : message;
}

}  // namespace

std::string reason_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "out of memory";
  const std::string text = one_line(error.what());
  return is_out_of_threads(error) ? "can't start a thread: " + text : text;
}

void install_last_resort() {
  std::set_terminate(on_terminate);
  std::signal(SIGABRT, on_abort);
  catch_faults();
}

void at_terminate(void (*hook)()) { g_hook = hook; }

std::optional<Failure> attempt(const std::string& name, const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const PassingError& error) {
    return Failure{exit_code(error.kind()), named(name, error.what()), true};
  } catch (const Error& error) {
    return Failure{exit_code(error.kind()), named(name, error.what())};
  } catch (const Stopped&) {
    return Failure{kExitInterrupted, named(name, "interrupted before there was any output")};
  } catch (const std::exception& error) {
    return Failure{exit_code(ErrorKind::internal), named(name, reason_of(error)),
                   is_out_of_resources(error)};
  } catch (...) {
    return Failure{exit_code(ErrorKind::internal), named(name, "an unknown exception")};
  }
}

}  // namespace facepipe::app
