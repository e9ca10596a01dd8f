#include "convert.h"
#include "pneuma/core/check.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/core/error.h"
#include "pneuma/core/log.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/version.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/shape/learn.h"
#include "pneuma/stage/act_run.h"
#include "pneuma/stage/act_session.h"
#include "pneuma/stage/breath_request.h"
#include "pneuma/stage/fit_run.h"
#include "pneuma/stage/living_request.h"
#include "pneuma/stage/person_request.h"
#include "pneuma/stage/population.h"
#include "pneuma/stage/session.h"

namespace pneuma::python {
namespace {

py::dict diagnosticDict(const Diagnostic& d) {
  using namespace py::literals;
  return py::dict("severity"_a = d.severity == Severity::Error ? "error" : "warning",
                  "file"_a = d.where.file, "line"_a = d.where.line, "column"_a = d.where.column,
                  "subject"_a = d.subject, "field"_a = d.field, "message"_a = d.message,
                  "expected"_a = d.expected, "nearest"_a = d.nearest, "text"_a = d.toString());
}

/// Raises a class of pneuma._errors, whose constructors take the parts.
template <class... Parts>
void raise(const char* name, Parts&&... parts) {
  const py::object type = py::module_::import("pneuma._errors").attr(name);
  const py::object error = type(std::forward<Parts>(parts)...);
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InputError& e) {
    py::list diagnostics;
    for (const Diagnostic& d : e.diagnostics()) diagnostics.append(diagnosticDict(d));
    raise("InputError", e.what(), diagnostics);
  } catch (const SimulationError& e) {
    raise("SimulationError", e.what(), e.time(), e.part(), e.cause());
  } catch (const InternalError& e) {
    raise("InternalError", e.what());
  }
}

/// What is known of all settings, from their field tables.
py::dict schemas() {
  py::dict all;
  all["person"] = toPython(io::settingsSchema<stage::PersonRequest>());
  all["session"] = toPython(io::settingsSchema<stage::SessionSettings>());
  all["session_breath"] = toPython(io::settingsSchema<stage::SessionBreath>());
  all["act_session"] = toPython(io::settingsSchema<stage::ActSettings>());
  all["act_task"] = toPython(io::settingsSchema<stage::ActTask>());
  all["breathe"] = toPython(io::settingsSchema<stage::BreathRequest>());
  all["live"] = toPython(io::settingsSchema<stage::LivingRequest>());
  all["motion"] = toPython(io::settingsSchema<stage::MotionSource>());
  all["flesh"] = toPython(io::settingsSchema<stage::FleshRequest>());
  all["fit"] = toPython(io::settingsSchema<stage::FitOptions>());
  all["act"] = toPython(io::settingsSchema<stage::ActRequest>());
  all["population"] = toPython(io::settingsSchema<stage::PopulationRequest>());
  all["learn"] = toPython(io::settingsSchema<shape::LearnConfig>());
  return all;
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "The library behind the package pneuma.";
  py::register_exception_translator(translate);
  m.def(
      "version", [] { return std::string(version()); }, "Version of the library.");
  m.def("set_data_folder", [](const std::string& folder) { setDataFolder(folder); });
  m.def(
      "data_folder", [] { return dataFolder().string(); },
      "Where bodies and styles that come with Pneuma lie.");
  m.def("set_thread_count", &setThreadCount, py::arg("threads"),
        "Threads used from now on; 0: as many as the machine has. Results do not depend on them.");
  m.def("thread_count", &threadCount, "Threads in use.");
  m.def("schemas", &schemas);
  bindSkeleton(m);
  bindBody(m);
  bindControl(m);
  bindSession(m);
  bindRuns(m);
  bindShape(m);
  bindFlesh(m);
}

}  // namespace pneuma::python
