#include "cli/page_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
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

using Clock = std::chrono::steady_clock;

// For a whole request, for a whole answer (some megabytes through a slow tunnel), and for the other
// side to close afterwards.
constexpr std::chrono::seconds kToAsk(5), kToListen(60), kToClose(2);
// A browser opens six. When there are more than this, the oldest of those who said least goes.
constexpr std::size_t kMostConnections = 64;

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
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    default: return "Service Unavailable";
  }
}

// The page is one file: it needs its own script, styles, the empty icon and /state.json.
std::string bytes_of(const PageAnswer& answer) {
  const std::string script =
      answer.script_nonce.empty() ? "'none'" : fmt::format("'nonce-{}'", answer.script_nonce);
  std::string bytes = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Content-Security-Policy: default-src 'none'; script-src {}; style-src 'unsafe-inline'; "
      "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'\r\nConnection: close\r\n",
      answer.status, reason(answer.status), answer.type, answer.body.size(), script);
  if (!answer.location.empty()) bytes += fmt::format("Location: {}\r\n", answer.location);
  return bytes + "\r\n" + answer.body;
}

// Takes equally long wherever they differ, so that nobody can guess a token letter by letter.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i] ^ b[i]));
  }
  return difference == 0;
}

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

std::string random_token() {
  std::random_device system;  // reads the system's random numbers
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", system());
  return token;
}

struct PageServer::Connection {
  FileDescriptor socket;
  Clock::time_point deadline;
  enum class State { asking, listening, closing, over } state = State::asking;
  std::string in, out;
  std::size_t sent = 0;
  short events = 0;  // what poll() found

  void begin(State next, std::chrono::seconds patience) {
    state = next;
    deadline = Clock::now() + patience;
  }

  void send() {
    while (sent < out.size()) {
      const ssize_t count =
          ::send(socket.get(), out.data() + sent, out.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && would_block()) return;
      if (count <= 0) {
        state = State::over;
        return;
      }
      sent += static_cast<std::size_t>(count);
    }
    // Closing while something is unread would take the answer back.
    ::shutdown(socket.get(), SHUT_WR);
    begin(State::closing, kToClose);
  }

  void read_over() {
    std::array<char, 4096> buffer;
    const ssize_t count = ::recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count == 0 || (count < 0 && !would_block())) state = State::over;
  }
};

PageServer::PageServer(PageServerOptions options)
    : options_(std::move(options)),
      socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  sockaddr_in place = socket_address(options_.address, options_.port);
  loopback_ = (ntohl(place.sin_addr.s_addr) >> 24) == 127;
  const int yes = 1;
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 ||
      ::listen(socket_.get(), 128) != 0) {
    fail(ErrorKind::input, "--port {}: cannot listen on {}: {}; choose another one, or 0 for any",
         options_.port, options_.address, std::strerror(errno));
  }
  socklen_t length = sizeof place;
  ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&place), &length);
  options_.port = ntohs(place.sin_port);
}

PageServer::~PageServer() = default;

std::string PageServer::origin() const {
  return fmt::format("http://{}:{}/", options_.address, options_.port);
}

std::string PageServer::url() const {
  return origin() + (options_.token.empty() ? "" : options_.token + "/");
}

void PageServer::serve(const PageHandler& handler, const std::function<bool()>& stop) {
  using State = Connection::State;
  std::vector<Connection> connections;
  while (!stop()) {
    wait_for_news(connections);
    for (Connection& one : connections) {
      if (one.state == State::asking && one.events != 0) receive(one, handler);
      if (one.state == State::listening) one.send();
      if (one.state == State::closing && one.events != 0) one.read_over();
      if (Clock::now() > one.deadline) one.state = State::over;
    }
    std::erase_if(connections, [](const Connection& one) { return one.state == State::over; });
  }
}

void PageServer::wait_for_news(std::vector<Connection>& connections) const {
  std::vector<pollfd> waiting{{socket_.get(), POLLIN, 0}};
  for (const Connection& one : connections) {
    const bool sends = one.state == Connection::State::listening;
    waiting.push_back({one.socket.get(), static_cast<short>(sends ? POLLOUT : POLLIN), 0});
  }
  if (::poll(waiting.data(), waiting.size(), 200) < 0) {
    for (Connection& one : connections) one.events = 0;
    return;
  }
  for (std::size_t i = 0; i < connections.size(); ++i) {
    connections[i].events = waiting[i + 1].revents;
  }
  if (waiting[0].revents != 0) accept_new(connections);
}

void PageServer::accept_new(std::vector<Connection>& connections) const {
  for (std::size_t i = 0; i < kMostConnections; ++i) {
    FileDescriptor socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.open()) return;
    if (connections.size() >= kMostConnections) {
      connections.erase(std::ranges::max_element(connections, {}, [](const Connection& one) {
        // Those who have asked and now listen stay longest.
        return std::pair(one.state != Connection::State::listening, Clock::now() - one.deadline);
      }));
    }
    // It may have asked already.
    connections.push_back({.socket = std::move(socket),
                           .deadline = Clock::now() + kToAsk,
                           .in = {},
                           .out = {},
                           .events = POLLIN});
  }
}

void PageServer::receive(Connection& connection, const PageHandler& handler) const {
  std::array<char, 4096> buffer;
  bool ended = false;
  while (connection.in.size() < kLongestRequest && !ended &&
         connection.in.find("\r\n\r\n") == std::string::npos) {
    const ssize_t count =
        ::recv(connection.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && would_block()) return;
    ended = count <= 0;
    if (!ended) connection.in.append(buffer.data(), static_cast<std::size_t>(count));
  }
  if (ended && connection.in.empty()) {
    connection.state = Connection::State::over;
    return;
  }
  connection.out = bytes_of(answer(parse_http_request(connection.in), handler));
  connection.begin(Connection::State::listening, kToListen);
}

bool PageServer::is_for_us(const std::string& host) const {
  if (!loopback_) return true;
  return host == fmt::format("{}:{}", options_.address, options_.port) ||
         host == fmt::format("localhost:{}", options_.port);
}

PageAnswer PageServer::answer(const HttpRequest& request, const PageHandler& handler) const {
  if (!request.well_formed) return {.status = 400, .body = "this is not HTTP\n"};
  if (request.method != "GET") return {.status = 405, .body = "only GET is known here\n"};
  if (!is_for_us(request.host)) return {.status = 403, .body = "ask for " + origin() + "\n"};
  try {
    return answer_behind_token(request, handler);
  } catch (const std::exception& error) {
    return {.status = 503, .body = std::string(error.what()) + "\n"};
  }
}

PageAnswer PageServer::answer_behind_token(const HttpRequest& request,
                                           const PageHandler& handler) const {
  if (options_.token.empty()) return handler(request.path, request.query);
  // "/<token>/state.json"
  const std::string_view path = request.path;
  const std::size_t end = std::min(path.find('/', 1), path.size());
  if (!same_secret(path.substr(1, end - 1), options_.token)) {
    return {.status = 403,
            .body = "open the whole address that `hone watch` printed, with its token\n"};
  }
  if (end == path.size()) return {.status = 308, .location = request.path + "/"};
  return handler(std::string(path.substr(end)), request.query);
}

}  // namespace hone::cli
