#include "convert.h"
#include "objects.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/error.h"
#include "pneuma/core/log.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/muscle/strength.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::python {
namespace {

using namespace py::literals;

std::shared_ptr<PersonBody> makeBody(const std::string& path, const py::dict& settings) {
  auto body = std::make_shared<PersonBody>();
  const nlohmann::ordered_json given = toJson(settings);
  const py::gil_scoped_release release;
  io::readSettings(given, "person", body->request);
  const auto file = path.empty() ? anatomy::defaultBodyPath() : std::filesystem::path(path);
  body->measured = std::make_shared<const anatomy::Body>(anatomy::loadBody(file).valueOrThrow());
  body->fitted =
      std::make_shared<const anatomy::Body>(anatomy::fitToPerson(*body->measured, body->person()));
  return body;
}

/// The same measured body as somebody else.
std::shared_ptr<PersonBody> fitted(const PersonBody& body, const py::dict& settings) {
  auto other = std::make_shared<PersonBody>(PersonBody{.measured = body.measured});
  const nlohmann::ordered_json given = toJson(settings);
  const py::gil_scoped_release release;
  io::readSettings(given, "person", other->request);
  other->fitted =
      std::make_shared<const anatomy::Body>(anatomy::fitToPerson(*body.measured, other->person()));
  return other;
}

template <class Entry>
std::vector<std::string> namesOf(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& e : entries) names.push_back(e.name);
  return names;
}

py::dict personDict(const PersonBody& body) {
  const anatomy::Person& p = body.fitted->person;
  return py::dict("sex"_a = p.sex == anatomy::Sex::Male ? "male" : "female", "height"_a = p.height,
                  "mass"_a = p.mass, "age"_a = p.age);
}

py::dict lungDict(const PersonBody& body) {
  const anatomy::LungVolumes v = anatomy::lungVolumes(body.fitted->person);
  return py::dict("frc"_a = v.functionalResidual, "tlc"_a = v.total, "rv"_a = v.residual,
                  "vc"_a = v.vital);
}

py::tuple boneMesh(const PersonBody& body, const std::string& bone) {
  TriangleMesh mesh;
  {
    const py::gil_scoped_release release;
    std::vector<std::string> names;
    for (const anatomy::Shape& s : body.fitted->shapes) names.push_back(s.bone);
    const auto at = std::find(names.begin(), names.end(), bone);
    if (at == names.end())
      throw InputError(Diagnostic{.field = "bone",
                                  .message = "no shape of a bone '" + bone + "'",
                                  .nearest = nearestName(bone, names)});
    const auto& shape = body.fitted->shapes[static_cast<std::size_t>(at - names.begin())].shape;
    mesh = anatomy::GeometryCache().boneMesh(shape, anatomy::kLightBone);
  }
  return toPython(mesh);
}

py::tuple skinMesh(const PersonBody& body, int triangles) {
  TriangleMesh mesh;
  {
    const py::gil_scoped_release release;
    mesh = anatomy::makeSkinSurface(anatomy::skinModelOf(*body.measured), *body.measured,
                                    body.fitted->person, {.triangles = triangles},
                                    anatomy::GeometryCache())
               .mesh;
  }
  return toPython(mesh);
}

py::dict strengthDict(const muscle::StrengthResult& r) {
  py::dict d("name"_a = r.test->name, "angle"_a = toArray(r.curve.angle),
             "torque"_a = toArray(r.curve.torque), "passive"_a = toArray(r.curve.passive),
             "peak"_a = r.curve.peak, "peak_angle"_a = r.curve.peakAngle);
  py::list shares;
  for (const muscle::StrengthShare& s : r.curve.shares)
    shares.append(py::make_tuple(s.muscle, s.torque));
  d["shares"] = shares;
  d["people"] = py::none();
  if (r.verdict)
    d["people"] =
        py::dict("mean"_a = r.verdict->mean, "low"_a = r.verdict->low, "high"_a = r.verdict->high,
                 "inside"_a = r.verdict->inside, "source"_a = r.verdict->band->source);
  return d;
}

py::list strengths(const PersonBody& body, const std::string& only, const std::string& model) {
  if (model != "zajac" && model != "linear-hill")
    throw InputError(Diagnostic{
        .field = "model", .message = "is '" + model + "'", .expected = "zajac or linear-hill"});
  std::vector<muscle::StrengthResult> results;
  {
    const py::gil_scoped_release release;
    results = muscle::measureStrength(
        *body.fitted,
        model == "zajac" ? muscle::StrengthModel::Zajac : muscle::StrengthModel::LinearHill, only);
  }
  py::list list;
  for (const muscle::StrengthResult& r : results) list.append(strengthDict(r));
  return list;
}

std::shared_ptr<Skeleton> makeSkeleton(const PersonBody& body, const std::string& articulation) {
  const py::gil_scoped_release release;
  auto s = std::make_shared<Skeleton>();
  s->body = body.fitted;
  s->compiled = anatomy::compileBody(*body.fitted, articulation).valueOrThrow();
  s->model = skeleton::modelFromBody(s->compiled);
  s->muscles = muscle::compileMuscles(s->model, muscle::musclesFromBody(s->compiled));
  return s;
}

}  // namespace

// Arrays of a body are made when asked for, not kept: a body is read far more often than its
// meshes.
void bindBody(py::module_& m) {
  py::class_<PersonBody, std::shared_ptr<PersonBody>>(m, "Body", "A measured body as one person.")
      .def(py::init(&makeBody), "path"_a, "settings"_a)
      .def(py::init(&fitted), "measured"_a, "settings"_a)
      .def_property_readonly(
          "name", [](const PersonBody& b) { return b.fitted->name; }, "Name of the body file.")
      .def_property_readonly("person", &personDict,
                             "Who it is: sex, height [m], mass [kg] and age [years].")
      .def_property_readonly("lung_volumes", &lungDict,
                             "Predicted lung volumes [m^3]: frc, tlc, rv and vc.")
      .def_property_readonly(
          "bones", [](const PersonBody& b) { return namesOf(b.fitted->bones); },
          "Names of all bones.")
      .def_property_readonly(
          "muscles", [](const PersonBody& b) { return namesOf(b.fitted->muscles); },
          "Names of all muscle lines that are described.")
      .def_property_readonly(
          "articulations", [](const PersonBody& b) { return namesOf(b.fitted->articulations); },
          "Names that skeleton() takes.")
      .def_property_readonly(
          "postures", [](const PersonBody& b) { return namesOf(b.fitted->postures); },
          "Names of the postures.")
      .def_property_readonly(
          "hash", [](const PersonBody& b) { return stage::bodyHash(*b.measured); },
          "Hash of the whole text of the measured body.")
      .def(
          "text", [](const PersonBody& b) { return anatomy::bodyText(*b.fitted); },
          "The body as one TOML text, fitted to the person.")
      .def("bone_mesh", &boneMesh, "bone"_a,
           "Surface of a bone at rest in the body frame: (vertices (n, 3) [m], triangles (t, 3)).\n"
           "Both arrays are yours. Made once per machine and kept in the cache folder.")
      .def("skin_mesh", &skinMesh, "triangles"_a = 20000,
           "The person's skin at rest: (vertices (n, 3) [m], triangles (t, 3)). Both arrays are\n"
           "yours. Takes seconds the first time.")
      .def("strengths", &strengths, "only"_a = "", "model"_a = "zajac",
           "Largest isometric torques as a dynamometer measures them, beside what people reach.\n\n"
           "only: names of the tests begin with this. model: 'zajac' or 'linear-hill'.\n"
           "Gives a list of dicts: name, angle [rad], torque and passive [N m] (arrays over the\n"
           "angle), peak [N m], peak_angle [rad], shares (muscle, torque at the peak) and people\n"
           "(mean, low, high [N m], inside, source), or None where nothing is known.")
      .def("skeleton", &makeSkeleton, "articulation"_a = "upper-body",
           "The body's links, joints and muscle paths under one articulation.");
}

}  // namespace pneuma::python
