#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/http_request.h"
#include "hone/files/files.h"

namespace hone::cli {

struct PageAnswer {
  int status = 200;  // 200, 204, 404, ...
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  std::string script_nonce = {};  // of the one script that a page may run; "": it may run none
  std::string location = {};      // where a redirection leads
};

// What is behind a path such as "/state.json"; the part after '?' comes apart.
using PageHandler = std::function<PageAnswer(const std::string& path, const std::string& query)>;

struct PageServerOptions {
  std::string address = "127.0.0.1";
  int port = 8470;    // 0: any free one
  std::string token;  // the first part of every path; "": whoever reaches the port may read
};

// 128 random bits from the system, as hexadecimal digits.
std::string random_token();

// A web server for a few readers: answers GET and knows no files. One thread waits for all
// connections at once, so that nobody who is slow or silent keeps others waiting, and a request
// that is not complete in time is dropped. On a loopback address it answers only to requests that
// name this machine, so that no other web page can read it through a name of its own; and the token
// keeps out other users of the machine.
class PageServer {
 public:
  // Error{input} for an address that is none or a port that is taken.
  explicit PageServer(PageServerOptions options);
  ~PageServer();

  std::string url() const;  // with the token
  void serve(const PageHandler& handler, const std::function<bool()>& stop);

 private:
  struct Connection;
  void wait_for_news(std::vector<Connection>& connections) const;
  void accept_new(std::vector<Connection>& connections) const;
  void receive(Connection& connection, const PageHandler& handler) const;
  PageAnswer answer(const HttpRequest& request, const PageHandler& handler) const;
  PageAnswer answer_behind_token(const HttpRequest& request, const PageHandler& handler) const;
  bool is_for_us(const std::string& host) const;
  std::string origin() const;

  PageServerOptions options_;
  bool loopback_ = true;
  FileDescriptor socket_;
};

}  // namespace hone::cli
