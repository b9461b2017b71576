#pragma once

#include <memory>
#include <string>

#include "hone/simulator/executor.h"

namespace hone {

// Makes no simulations: asked for some, it throws Error{input} with what `refusal` says of so many.
std::unique_ptr<Executor> make_no_executor(std::string (*refusal)(Index missing));

}  // namespace hone
