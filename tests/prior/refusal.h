#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "hone/core/error.h"

namespace hone {

// What is said against it; "accepted" if nothing is.
inline std::string refusal(const std::function<void()>& action, ErrorKind kind = ErrorKind::input) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "accepted";
}

}  // namespace hone
