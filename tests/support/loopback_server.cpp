#include "tests/support/loopback_server.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace facepipe::test {
namespace {

void send_all(int client, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t taken = send(client, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (taken <= 0) return;
    at += static_cast<std::size_t>(taken);
  }
}

}  // namespace

std::string http_answer(const std::string& file, std::size_t sent) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(file.size()) +
         "\r\nConnection: close\r\n\r\n" + file.substr(0, sent);
}

LoopbackServer::LoopbackServer(Answer answer)
    : answer_(std::move(answer)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener_, 8) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no server on the loopback");
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this] { serve(); });
}

LoopbackServer::~LoopbackServer() {
  shutdown(listener_, SHUT_RDWR);  // makes accept() return
  thread_.join();
  close(listener_);
}

std::string LoopbackServer::url(const std::string& name) const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/" + name;
}

void LoopbackServer::serve() const {
  for (int client = -1; (client = accept(listener_, nullptr, nullptr)) >= 0; close(client)) {
    std::string request(4096, '\0');
    if (recv(client, request.data(), request.size(), 0) <= 0) continue;
    const std::size_t begin = request.find('/') + 1;
    send_all(client, answer_(request.substr(begin, request.find(' ', begin) - begin)));
  }
}

}  // namespace facepipe::test
