#include "app/sandbox/worker_starter.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "app/sandbox/close_sandbox.h"
#include "app/sandbox/landlock.h"
#include "app/sandbox/seccomp.h"
#include "core/error.h"
#include "core/packed.h"
#include "core/passing_error.h"
#include "video/read/worker/serve.h"

namespace facepipe::app {
namespace {

using video::Channel;
using video::Message;

/// What the program asks the process that starts workers. It answers each with a number.
enum class Order : std::uint8_t {
  start,   ///< a worker for the input whose name follows: its process, or -errno
  end,     ///< a worker at once: how it ended, as waitpid() says it
  collect  ///< a worker that is ending by itself; after a second, at once
};

std::string text_of_code(int code) { return std::generic_category().message(code); }

Error refusal(const std::string& reason) {
  return {ErrorKind::device, "--sandbox process: " + reason};
}

/// Makes the standard streams lead nowhere, and closes all other files but one.
/// @return that file's new number
int leave_only(int file) {
  constexpr int kKept = 3;
  if (const int nowhere = open("/dev/null", O_RDWR); nowhere >= 0)
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  if (file != kKept) dup2(file, kKept);
  fcntl(kKept, F_SETFD, FD_CLOEXEC);
  constexpr long kCloseRange = 436;  // since Linux 5.9, which is older than Landlock
  syscall(kCloseRange, kKept + 1U, ~0U, 0U);
  return kKept;
}

/// Leaves the signals of a terminal to the program, and the others to the system: the program's own
/// handlers would print lines and remove its outputs.
void reset_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ})
    std::signal(signal, SIG_IGN);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP})
    std::signal(signal, SIG_DFL);
  std::set_terminate([] { std::abort(); });
  constexpr rlimit kNoCore{0, 0};
  setrlimit(RLIMIT_CORE, &kNoCore);
}

std::vector<AllowedPath> readable(const std::vector<std::filesystem::path>& paths) {
  std::vector<AllowedPath> allowed;
  for (const std::filesystem::path& path : paths) allowed.push_back({path, FileAccess::read});
  return allowed;
}

/// The work of a worker. It never returns.
[[noreturn]] void work(Descriptor socket, const std::string& input) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Channel channel{Descriptor(leave_only(socket.number()))};
  const std::string reason = close_sandbox(readable({input}), Network::none, Processes::none);
  if (reason.empty())
    video::serve_input(channel);
  else
    video::refuse_to_serve(channel, refusal(reason));
  _exit(0);
}

/// The work of the process that starts workers.
class Starter {
 public:
  explicit Starter(Channel channel) : channel_(std::move(channel)) {}

  /// Tells the program why it can't work; empty if it can. Returns false if the program is gone.
  [[nodiscard]] bool tell(const std::string& reason) const { return channel_.send(reason); }

  void run() {
    while (std::optional<Message> message = channel_.receive_with_file()) {
      Packer answer;
      answer(carry_out(*message));
      if (!channel_.send(answer.bytes())) break;
    }
    // Workers end with their channels, but those that a hostile input has taken over may not.
    for (const pid_t worker : workers_) kill(worker, SIGKILL);
  }

 private:
  [[nodiscard]] int carry_out(Message& message) {
    Unpacker unpacker(message.head);
    Order order{};
    unpacker(order);
    if (order == Order::start) return start(unpacker, std::move(message.file));
    pid_t worker = 0;
    unpacker(worker);
    return end(worker, order == Order::collect);
  }

  [[nodiscard]] int start(Unpacker& unpacker, Descriptor socket) {
    std::string input;
    unpacker(input);
    const pid_t worker = fork();
    if (worker == 0) work(std::move(socket), input);
    if (worker < 0) return -errno;
    workers_.insert(worker);
    return worker;
  }

  [[nodiscard]] int end(pid_t worker, bool by_itself) {
    constexpr int kPatience_ms = 1000;
    int status = 0;
    if (workers_.erase(worker) == 0) return status;
    for (int i = 0; by_itself && i < kPatience_ms; ++i) {
      if (waitpid(worker, &status, WNOHANG) != 0) return status;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(worker, SIGKILL);
    waitpid(worker, &status, 0);
    return status;
  }

  const Channel channel_;
  std::set<pid_t> workers_;
};

/// The process that starts workers. It never returns.
[[noreturn]] void start_workers(int socket, const std::vector<std::filesystem::path>& inputs) {
  reset_signals();
  Starter starter(Channel(Descriptor(leave_only(socket))));
  const std::string reason = close_sandbox(readable(inputs), Network::none, Processes::own);
  if (starter.tell(reason) && reason.empty()) starter.run();
  _exit(0);
}

/// Starts the process that starts workers. Returns its number. Closes `socket` here, so that the
/// program notices if that process ends.
pid_t forked_starter(Descriptor socket, const std::vector<std::filesystem::path>& inputs) {
  const pid_t process = fork();
  if (process < 0) throw refusal(text_of_code(errno));
  if (process == 0) start_workers(socket.number(), inputs);
  return process;
}

std::string end_of_worker(int status) {
  if (WIFSIGNALED(status))
    return "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    return "has ended with exit code " + std::to_string(WEXITSTATUS(status));
  return "has answered what can't be";
}

}  // namespace

WorkerStarter::WorkerStarter(const std::vector<std::filesystem::path>& inputs)
    : WorkerStarter(Channel::make(), inputs) {}

WorkerStarter::WorkerStarter(std::pair<Channel, Descriptor> ends,
                             const std::vector<std::filesystem::path>& inputs)
    : channel_(std::move(ends.first)), process_(forked_starter(std::move(ends.second), inputs)) {
  const std::optional<Message> ready = channel_.receive();
  std::string reason = ready ? ready->head : "the process that starts workers has ended";
  if (!reason.empty()) {
    waitpid(process_, nullptr, 0);
    throw refusal(reason);
  }
  video::read_in_workers(this);
}

WorkerStarter::~WorkerStarter() {
  video::read_in_workers(nullptr);
  channel_ = Channel(Descriptor());
  waitpid(process_, nullptr, 0);
}

/// Returns the number that the process answers.
int WorkerStarter::ask(const std::string& request, int file) {
  const std::scoped_lock lock(asking_);
  std::optional<Message> answer;
  if (channel_.send(request, {}, file)) answer = channel_.receive();
  if (!answer) throw Error(ErrorKind::internal, "the process that starts workers has ended");
  int number = 0;
  Unpacker unpacker(answer->head);
  unpacker(number);
  return number;
}

video::InputWorkers::Worker WorkerStarter::start(const std::string& input) {
  auto [channel, other] = Channel::make();
  Packer request;
  request(Order::start);
  request(input);
  const int process = ask(request.bytes(), other.number());
  if (process < 0)
    throw PassingError(ErrorKind::internal, "can't start a process: " + text_of_code(-process));
  return {std::move(channel), process};
}

std::string WorkerStarter::end(int process, bool broken) noexcept {
  try {
    Packer request;
    request(broken ? Order::collect : Order::end);
    request(process);
    return end_of_worker(ask(request.bytes(), -1));
  } catch (const std::exception&) {
    return "has ended";
  }
}

}  // namespace facepipe::app
