#include "cli/page_server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hone/core/error.h"

namespace hone::cli {
namespace {

constexpr std::size_t kLongestRequest = 16384;

sockaddr_in socket_address(const std::string& address, int port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, address.c_str(), &result.sin_addr) != 1) {
    fail(ErrorKind::input, "--address {}: not an IPv4 address such as 127.0.0.1", address);
  }
  return result;
}

const char* reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    default: return "Service Unavailable";
  }
}

// The head of a request, up to its empty line; shorter if the other side is slow or says too much.
std::string read_head(int connection) {
  std::string head;
  char buffer[2048];
  while (head.find("\r\n\r\n") == std::string::npos && head.size() < kLongestRequest) {
    const ssize_t count = ::recv(connection, buffer, sizeof buffer, 0);
    if (count <= 0) break;
    head.append(buffer, static_cast<std::size_t>(count));
  }
  return head;
}

std::string header(const std::string& head, const std::string& name) {
  std::size_t at = 0;
  while ((at = head.find("\r\n", at)) != std::string::npos) {
    at += 2;
    if (::strncasecmp(head.c_str() + at, name.c_str(), name.size()) != 0) continue;
    const std::size_t begin = head.find_first_not_of(" \t", at + name.size());
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
  return "";
}

void send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

PageServer::PageServer(const std::string& address, int port)
    : address_(address), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in place = socket_address(address, port);
  loopback_ = (ntohl(place.sin_addr.s_addr) >> 24) == 127;
  const int yes = 1;
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 ||
      ::listen(socket_.get(), 16) != 0) {
    fail(ErrorKind::input, "--port {}: cannot listen on {}: {}; choose another one, or 0 for any",
         port, address, std::strerror(errno));
  }
  socklen_t length = sizeof place;
  ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&place), &length);
  port_ = ntohs(place.sin_port);
}

std::string PageServer::url() const {
  return fmt::format("http://{}:{}/", address_, port_);
}

void PageServer::serve(const PageHandler& handler, const std::function<bool()>& stop) {
  while (!stop()) {
    pollfd waiting{socket_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 200) <= 0) continue;
    const FileDescriptor connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection.get() < 0) continue;
    const timeval patience{2, 0};
    ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    answer(connection.get(), handler);
  }
}

bool PageServer::is_for_us(const std::string& host) const {
  if (!loopback_) return true;
  return host == fmt::format("{}:{}", address_, port_) ||
         host == fmt::format("localhost:{}", port_);
}

void PageServer::answer(int connection, const PageHandler& handler) const {
  const std::string head = read_head(connection);
  const std::size_t method_end = head.find(' ');
  const std::size_t target_end = head.find(' ', method_end + 1);
  PageAnswer result;
  if (head.empty()) return;
  if (method_end == std::string::npos || target_end == std::string::npos) {
    result = {400, result.type, "this is not HTTP\n"};
  } else if (head.compare(0, method_end, "GET") != 0) {
    result = {405, result.type, "only GET is known here\n"};
  } else if (!is_for_us(header(head, "Host:"))) {
    result = {403, result.type, "ask for " + url() + "\n"};
  } else {
    const std::string target = head.substr(method_end + 1, target_end - method_end - 1);
    const std::size_t mark = std::min(target.find('?'), target.size());
    result = handler(target.substr(0, mark), target.substr(std::min(mark + 1, target.size())));
  }
  send_all(connection,
           fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
                       "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                       "Connection: close\r\n\r\n",
                       result.status, reason(result.status), result.type, result.body.size()));
  send_all(connection, result.body);
}

}  // namespace hone::cli
