#pragma once

#include <functional>
#include <string>

#include "hone/files/files.h"

namespace hone::cli {

struct PageAnswer {
  int status = 200;  // 200, 204, 404, ...
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
};

// What is behind a path such as "/state.json"; the part after '?' comes apart.
using PageHandler = std::function<PageAnswer(const std::string& path, const std::string& query)>;

// A web server for one reader: answers GET, one request after another, and knows no files. On a
// loopback address it answers only to requests that name this machine, so that no other web page
// can read it through a name of its own.
class PageServer {
 public:
  // Port 0: any free one. Error{input} for an address that is none or a port that is taken.
  PageServer(const std::string& address, int port);

  std::string url() const;
  void serve(const PageHandler& handler, const std::function<bool()>& stop);

 private:
  void answer(int connection, const PageHandler& handler) const;
  bool is_for_us(const std::string& host) const;

  std::string address_;
  int port_ = 0;
  bool loopback_ = true;
  FileDescriptor socket_;
};

}  // namespace hone::cli
