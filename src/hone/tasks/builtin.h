#pragma once

// Inside tasks/ only: the tasks, a file each.

#include "hone/tasks/task.h"

namespace hone {

Task torus_task();
Task eggbox_task();
Task gaussian_linear_task();

}  // namespace hone
