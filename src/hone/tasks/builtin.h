#pragma once

// Inside tasks/ only: the tasks, a file each.

#include "hone/tasks/task.h"

namespace hone {

Task torus_task();
Task eggbox_task();
Task rotated_eggbox_task();

// As the benchmark sbibm defines them (Lueckmann et al. 2021).
Task two_moons_task();
Task gaussian_linear_task();
Task gaussian_linear_uniform_task();
Task gaussian_mixture_task();
Task slcp_task();
Task slcp_distractors_task();
Task sir_task();
Task lotka_volterra_task();
Task bernoulli_glm_task();

// The paper's cosmology.
Task cmb_task();

}  // namespace hone
