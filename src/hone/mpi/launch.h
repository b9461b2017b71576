#pragma once

#include <memory>

#include "hone/mpi/transport.h"

namespace hone {

// Was this process started as a rank of an MPI job? Looks at the environment only (mpirun of Open
// MPI and MPICH, srun with PMI or PMIx). HONE_MPI=off in the environment says no.
bool launched_by_mpi();
int launched_rank();  // as the launcher says; 0 if it does not

// Variables that tell of a launch: one of them is there.
std::span<const char* const> signs_of_launch();

// Opens the shared library that talks MPI and joins the job. Error{input} if this hone has no such
// library or MPI is not installed.
std::unique_ptr<Transport> join_mpi_job(const MpiWish& wish = {});

// Names of the launcher's variables in the environment by which a child process would take itself
// for a rank; and takes them out, so that simulators that use MPI do not take part in the job.
std::vector<std::string> launcher_variables();
void forget_launcher();

// Threads for a rank: the cores it may use, but no more than its share of the machine.
int threads_of_rank(const Transport& transport);

}  // namespace hone
