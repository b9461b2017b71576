#pragma once

// hone in one include: what a program needs to go from a simulator to posteriors.
//
//   Prior, Parameter, make_distribution   what is believed before
//   Simulator, make_simulator, Executor   what makes data from parameters, and where it runs
//   NoiseModel, make_gaussian_noise       noise that training draws afresh in every epoch
//   InferenceOptions, preset              how to infer
//   read_problem, run_spec, finish_run    a problem file or a task, all the way to its report
//   RunSpec, RunDirectory, execute_run    a run on disk, with a simulator of your own
//   find_posterior, sample_posterior      densities and samples of a marginal
//   train, RatioStack                     the training engine by itself
//   Observer, Error, Rng, with_threads    watching, failing, randomness, threads

#include "hone/core/error.h"
#include "hone/core/observer.h"
#include "hone/core/parallel.h"
#include "hone/core/rng.h"
#include "hone/engine/trainer.h"
#include "hone/inference/option_table.h"
#include "hone/posterior/marginal_grid.h"
#include "hone/posterior/sampling.h"
#include "hone/prior/prior.h"
#include "hone/prior/truncated_prior.h"
#include "hone/run/execute_run.h"
#include "hone/run/finished_run.h"
#include "hone/session/session.h"
#include "hone/simulator/executor.h"
#include "hone/simulator/noise.h"
#include "hone/simulator/simulator.h"
