#include <pybind11/stl/filesystem.h>

#include "convert.h"
#include "objects.h"
#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/shape/bake.h"
#include "pneuma/shape/learn.h"
#include "pneuma/stage/perform_run.h"
#include "pneuma/stage/population.h"

/// Many people who breathe, and what is learned from them.
namespace pneuma::python {
namespace {

using namespace py::literals;
using nlohmann::ordered_json;
using shape::BreathModel;
using shape::PersonBreath;

/// Who would be in a population: nobody is simulated.
py::list people(const py::dict& given) {
  stage::PopulationRequest request;
  io::readSettings(toJson(given), "population", request);
  py::list all;
  for (const stage::Subject& s : stage::samplePeople(request)) {
    const anatomy::Person& p = s.person;
    all.append(py::dict(
        "name"_a = s.name, "sex"_a = p.sex == anatomy::Sex::Male ? "male" : "female",
        "height"_a = p.height, "mass"_a = p.mass, "age"_a = p.age, "held_out"_a = s.heldOut));
  }
  return all;
}

/// The manifest of all who are done.
py::object population(const PersonBody& body, const py::dict& given, const std::string& out,
                      const py::object& show) {
  stage::PopulationRequest request;
  io::readSettings(toJson(given), "population", request);
  PythonProgress progress(show);
  ordered_json manifest;
  {
    const py::gil_scoped_release release;
    const stage::PopulationRun run(request, body.measured, "Python: pneuma.population");
    run.runAll(out, progress);
    manifest = run.merge(out);
  }
  return toPython(manifest);
}

std::shared_ptr<BreathModel> learn(const std::string& folder, const py::dict& given,
                                   const py::object& show) {
  shape::LearnConfig config;
  io::readSettings(toJson(given), "learn", config);
  PythonProgress progress(show);
  const py::gil_scoped_release release;
  const shape::PeopleFolder people(folder);
  shape::Learned learned = shape::learnBreath(people, config, progress);
  return std::make_shared<BreathModel>(std::move(learned.model));
}

std::shared_ptr<BreathModel> openModel(const std::string& path) {
  const py::gil_scoped_release release;
  return std::make_shared<BreathModel>(shape::readBreathModel(path));
}

/// A person who breathes by a model, which lives as long.
struct LearnedPerson {
  std::shared_ptr<const BreathModel> model;
  PersonBreath breath;
};

std::shared_ptr<LearnedPerson> personOf(const std::shared_ptr<BreathModel>& model,
                                        const PersonBody& body, double poseIntensity) {
  const py::gil_scoped_release release;
  std::vector<Vec3> rest = stage::restSkinOf(*model, *body.measured, body.person());
  return std::make_shared<LearnedPerson>(
      LearnedPerson{model, PersonBreath(*model, std::move(rest), poseIntensity)});
}

/// (components, vertices, 3)
py::array_t<double> componentsOf(const LearnedPerson& p) {
  const auto& list = p.breath.components();
  std::vector<Vec3> all;
  for (const std::vector<Vec3>& u : list) all.insert(all.end(), u.begin(), u.end());
  return py::array_t<double>(toArray(std::move(all)))
      .reshape({static_cast<py::ssize_t>(list.size()),
                static_cast<py::ssize_t>(p.breath.rest().size()), py::ssize_t{3}});
}

py::array_t<double> skinOf(const LearnedPerson& p, double volume, double flow, double chestShare) {
  std::vector<Vec3> skin(p.breath.rest().size());
  {
    const py::gil_scoped_release release;
    p.breath.apply(p.breath.weights(volume, flow, chestShare), skin);
  }
  return toArray(std::move(skin));
}

}  // namespace

// Names with an underscore take dictionaries or bare numbers; the package gives them keywords and
// shapes.
void bindShape(py::module_& m) {
  m.def("people", &people, "settings"_a);
  m.def("population", &population, "body"_a, "settings"_a, "out"_a, "progress"_a);
  py::class_<BreathModel, std::shared_ptr<BreathModel>>(
      m, "BreathModel", "How people's skin follows their breath, as it was learned.")
      .def(py::init(&openModel), "path"_a)
      .def(py::init(&learn), "folder"_a, "settings"_a, "progress"_a)
      .def(
          "_save",
          [](const BreathModel& model, const std::string& path) {
            const py::gil_scoped_release release;
            shape::writeBreathModel(path, model);
          },
          "path"_a)
      .def_property_readonly(
          "card",
          [](const BreathModel& model) { return toPython(ordered_json::parse(model.card)); },
          "Who it was learned from, and how far it is off on people who were held out.")
      .def_property_readonly(
          "components", [](const BreathModel& model) { return model.components; },
          "Components that one person has at most.")
      .def_property_readonly(
          "template", [](const BreathModel& model) { return toPython(model.mesh); },
          "The common topology: (vertices, triangles).")
      .def("_person", &personOf, "body"_a, "pose_intensity"_a);
  py::class_<LearnedPerson, std::shared_ptr<LearnedPerson>>(
      m, "LearnedPerson", "A person whose skin follows the breath by a learned model.")
      .def_property_readonly(
          "rest",
          [](const py::object& self) {
            return viewOf(std::span<const Vec3>(self.cast<LearnedPerson&>().breath.rest()), self);
          },
          "The skin at rest, (n, 3) [m].")
      .def_property_readonly(
          "triangles",
          [](const LearnedPerson& p) {
            return toArray(std::span<const Triangle>(p.breath.triangles()));
          },
          "Of the skin, (m, 3).")
      .def_property_readonly(
          "components", &componentsOf,
          "What each component of breath adds to the skin, (components, vertices, 3) [m].")
      .def_property_readonly(
          "deviations", [](const LearnedPerson& p) { return toArray(VecX(p.breath.deviations())); },
          "How far the weight of each component swings in what was learned from.")
      .def(
          "bake",
          [](const LearnedPerson& p, const std::filesystem::path& path) {
            const py::gil_scoped_release release;
            io::writeFile(path, shape::bakePerson(*p.model, p.breath));
          },
          "path"_a,
          "Writes this person for games and web pages (breath_shape.h), less than 1 MB, complete "
          "or "
          "not at all.")
      .def(
          "weights",
          [](const LearnedPerson& p, double volume, double flow, double chestShare) {
            return toArray(p.breath.weights(volume, flow, chestShare));
          },
          "volume"_a, "flow"_a = 0.0, "chest_share"_a = 0.5,
          "Weights of the components at lungs this far above rest [m^3], with a flow [m^3/s].")
      .def("skin", &skinOf, "volume"_a, "flow"_a = 0.0, "chest_share"_a = 0.5,
           "The skin at lungs this far above rest [m^3], (n, 3) [m].");
}

}  // namespace pneuma::python
