#include <pybind11/stl.h>

#include "hone/mpi/launch.h"
#include "python/core/bindings.h"
#include "python/core/ranks.h"

namespace hone::python {

void bind_ranks(py::module_& m) {
  py::class_<Ranks>(m, "Ranks")
      .def(py::init([](std::uintptr_t communicator, std::size_t size) {
        return std::make_unique<Ranks>(
            MpiWish{.communicator = reinterpret_cast<void*>(communicator),
                    .communicator_size = size,
                    .others_call_mpi = true});
      }))
      .def("rank", [](const Ranks& r) { return r.transport().rank(); })
      .def("size", [](const Ranks& r) { return r.transport().size(); })
      .def("ranks_here", [](const Ranks& r) { return r.transport().ranks_on_this_machine(); })
      .def("begin", &Ranks::begin)
      .def("say", &Ranks::say)
      .def("hear", &Ranks::hear)
      .def("serve", &Ranks::serve)
      .def("log", &Ranks::log)
      .def("take_log", &Ranks::take_log)
      .def("leave", &Ranks::leave);
  m.def("signs_of_launch", [] {
    const auto signs = signs_of_launch();
    return std::vector<std::string>(signs.begin(), signs.end());
  });
  m.def("launched_rank", &launched_rank);
  m.def("launcher_variables", &launcher_variables);
}

}  // namespace hone::python
