# Everything comes from the system's packages (scripts/setup); nothing is fetched.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(TBB REQUIRED)
find_package(Boost REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)

# libxsmm makes small matrix products at run time for the machine at hand; where it is missing
# Eigen takes its place behind the same interface (src/hone/engine/gemm.h).
option(HONE_LIBXSMM "Use libxsmm for small matrix products where it is installed" ON)
find_path(LIBXSMM_INCLUDE libxsmm.h PATH_SUFFIXES libxsmm)
find_library(LIBXSMM_LIBRARY NAMES libxsmm.a)
find_library(LIBXSMM_NOBLAS NAMES libxsmmnoblas.a)
if(HONE_LIBXSMM AND LIBXSMM_INCLUDE AND LIBXSMM_LIBRARY AND LIBXSMM_NOBLAS)
  set(HONE_HAVE_LIBXSMM ON)
else()
  set(HONE_HAVE_LIBXSMM OFF)
endif()
message(STATUS "hone: small matrix products by libxsmm: ${HONE_HAVE_LIBXSMM}")
