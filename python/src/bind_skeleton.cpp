#include <fmt/format.h>

#include "convert.h"
#include "objects.h"
#include "pneuma/anatomy/mjcf.h"
#include "pneuma/anatomy/model_import.h"
#include "pneuma/anatomy/osim.h"
#include "pneuma/core/error.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/muscle/path_kinematics.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/kinematics.h"
#include "pneuma/skeleton/mass_matrix.h"
#include "pneuma/skeleton/pose_maker.h"
#include "pneuma/skeleton/posture.h"

namespace pneuma::python {
namespace {

using namespace py::literals;
using NumberArray = py::array_t<double, py::array::c_style | py::array::forcecast>;

VecX configuration(const Skeleton& s, const std::optional<NumberArray>& q) {
  return q ? toVector(*q, s.model.positionCount(), "q") : s.model.neutral;
}

skeleton::Kinematics kinematicsAt(const Skeleton& s, const VecX& q) {
  skeleton::Kinematics k(s.model);
  skeleton::computePoses(s.model, q, k);
  return k;
}

muscle::PathKinematics pathsAt(const Skeleton& s, const VecX& q) {
  muscle::PathKinematics paths(s.muscles.paths);
  muscle::computePaths(s.muscles.paths, kinematicsAt(s, q), paths);
  return paths;
}

py::array_t<double> muscleLengths(const Skeleton& s, const std::optional<NumberArray>& q) {
  const VecX at = configuration(s, q);
  VecX lengths;
  {
    const py::gil_scoped_release release;
    lengths = pathsAt(s, at).length;
  }
  return toArray(lengths);
}

py::array_t<double> momentArms(const Skeleton& s, const std::optional<NumberArray>& q) {
  const VecX at = configuration(s, q);
  MatX arms(s.muscles.count(), s.model.dofCount());
  {
    const py::gil_scoped_release release;
    const muscle::PathKinematics paths = pathsAt(s, at);
    for (int m = 0; m < s.muscles.count(); ++m)
      arms.row(m) = muscle::momentArms(s.muscles.paths, paths, m, s.model.dofCount());
  }
  return toArray(arms);
}

/// Points of every path in the world, muscle by muscle.
py::list musclePaths(const Skeleton& s, const std::optional<NumberArray>& q) {
  const VecX at = configuration(s, q);
  const skeleton::Kinematics k = kinematicsAt(s, at);
  py::list list;
  const muscle::PathSet& paths = s.muscles.paths;
  for (std::size_t m = 0; m + 1 < paths.pointBegin.size(); ++m) {
    std::vector<Vec3> points;
    for (int i = paths.pointBegin[m]; i < paths.pointBegin[m + 1]; ++i) {
      const muscle::LinkPoint& p = paths.points[static_cast<std::size_t>(i)];
      points.push_back(p.link < 0 ? p.position
                                  : k.X_WL[static_cast<std::size_t>(p.link)] * p.position);
    }
    list.append(toArray(std::move(points)));
  }
  return list;
}

template <class Value>
py::array_t<double> ofMuscles(const Skeleton& s, Value value) {
  std::vector<double> values;
  for (const anatomy::CompiledMuscle& m : s.compiled.muscles) values.push_back(value(m));
  return toArray(std::move(values));
}

py::dict muscleParameters(const Skeleton& s) {
  using M = anatomy::CompiledMuscle;
  const auto of = [&](double M::*field) {
    return ofMuscles(s, [field](const M& m) { return m.*field; });
  };
  return py::dict("peak_force"_a = of(&M::peakForce), "fiber_length"_a = of(&M::fiberLength),
                  "tendon_length"_a = of(&M::tendonLength), "pennation"_a = of(&M::pennation),
                  "rest_length"_a = of(&M::restLength), "pcsa"_a = of(&M::pcsa));
}

py::array_t<double> poseOf(const Skeleton& s, const std::map<std::string, double>& joints,
                           bool rhythm) {
  std::vector<skeleton::JointSetting> settings;
  for (const auto& [name, value] : joints) settings.push_back({name, value});
  return toArray(skeleton::PoseMaker(s.compiled, s.model).make(settings, {.rhythm = rhythm}));
}

std::vector<std::string> dofNames(const Skeleton& s) {
  std::vector<std::string> names = s.model.dofName;
  const skeleton::PoseMaker maker(s.compiled, s.model);
  for (const skeleton::Freedom& f : maker.freedoms())
    if (f.position >= 0) names[static_cast<std::size_t>(f.dof)] = f.name;
  return names;
}

std::vector<std::pair<std::string, int>> hingesOf(const Skeleton& s) {
  std::vector<std::pair<std::string, int>> hinges;
  const skeleton::PoseMaker maker(s.compiled, s.model);
  for (const skeleton::Freedom& f : maker.freedoms())
    if (f.position >= 0) hinges.emplace_back(f.name, f.position);
  return hinges;
}

std::vector<std::string> linkNames(const Skeleton& s) {
  std::vector<std::string> names;
  for (const skeleton::Link& l : s.model.links) names.push_back(l.name);
  return names;
}

/// A model of another program.
py::tuple readModel(const std::string& path) {
  auto s = std::make_shared<Skeleton>();
  std::vector<std::string> dropped;
  {
    const py::gil_scoped_release release;
    anatomy::ImportedModel read = anatomy::importModel(path);
    s->body = std::make_shared<const anatomy::Body>();
    s->compiled = std::move(read.body);
    s->model = skeleton::modelFromBody(s->compiled);
    s->muscles = muscle::compileMuscles(s->model, muscle::musclesFromBody(s->compiled));
    dropped = std::move(read.dropped);
  }
  return py::make_tuple(s, dropped);
}

// Everything takes q and may do without it: the neutral pose is what one asks about first.
void bindKinematics(py::class_<Skeleton, std::shared_ptr<Skeleton>>& c) {
  c.def("pose", &poseOf, "joints"_a = std::map<std::string, double>{}, "rhythm"_a = true,
        "Configuration q of a pose: angles [rad] by freedom, {'elbow_l.flexion': 1.2}; without a\n"
        "side both sides. rhythm: joints that people move together follow.")
      .def(
          "posture",
          [](const Skeleton& s, const std::string& name) {
            return toArray(skeleton::makePosture(*s.body, s.compiled, s.model, name));
          },
          "name"_a, "Configuration q of a posture of the body: 'standing', 'supine'...")
      .def(
          "link_poses",
          [](const Skeleton& s, const std::optional<NumberArray>& q) {
            return toArray(kinematicsAt(s, configuration(s, q)).X_WL);
          },
          "q"_a = py::none(), "[R | p] of every link in the world, (links, 3, 4) [m].")
      .def(
          "mass_matrix",
          [](const Skeleton& s, const std::optional<NumberArray>& q) {
            skeleton::State state = skeleton::makeState(s.model);
            state.q = configuration(s, q);
            return toArray(skeleton::massMatrix(s.model, state));
          },
          "q"_a = py::none(), "Mass matrix over the degrees of freedom, (dofs, dofs).")
      .def("muscle_lengths", &muscleLengths, "q"_a = py::none(),
           "Length of every muscle's path [m], (muscles,).")
      .def(
          "moment_arms", &momentArms, "q"_a = py::none(),
          "d(length)/dq of every muscle, (muscles, dofs) [m], positive where the muscle lengthens.")
      .def("muscle_paths", &musclePaths, "q"_a = py::none(),
           "Points of every muscle's path in the world, a list of (n, 3) arrays [m].");
}

}  // namespace

// Descriptions are lists by link and dof order, as q is: indices of one are indices of the other.
void bindSkeleton(py::module_& m) {
  m.def("_read_model", &readModel, "path"_a);
  py::class_<Skeleton, std::shared_ptr<Skeleton>> c(
      m, "Skeleton",
      "A body under one articulation: links, joints and muscle paths. From Body.skeleton().\n\n"
      "Configurations q are arrays of `position_count` numbers, velocities of `dof_count`; they\n"
      "differ where there are ball joints (quaternions). Without q the neutral pose is meant.");
  c.def_property_readonly(
       "articulation", [](const Skeleton& s) { return s.compiled.articulation; },
       "Name of the articulation.")
      .def_property_readonly("links", &linkNames, "Names of the links, parents first.")
      .def_property_readonly(
          "parents",
          [](const Skeleton& s) {
            std::vector<int> parents;
            for (const skeleton::Link& l : s.model.links) parents.push_back(l.parent);
            return parents;
          },
          "Index of each link's parent; -1: the world.")
      .def_property_readonly(
          "masses",
          [](const Skeleton& s) {
            std::vector<double> masses;
            for (const skeleton::Link& l : s.model.links) masses.push_back(l.inertia.mass);
            return toArray(std::move(masses));
          },
          "Mass of each link [kg].")
      .def_property_readonly("dofs", &dofNames, "Names of the degrees of freedom.")
      .def_property_readonly(
          "dof_count", [](const Skeleton& s) { return s.model.dofCount(); },
          "Numbers of a velocity.")
      .def_property_readonly(
          "position_count", [](const Skeleton& s) { return s.model.positionCount(); },
          "Numbers of a configuration.")
      .def_property_readonly(
          "neutral",
          [](const py::object& self) {
            return viewOf(self.cast<const Skeleton&>().model.neutral, self);
          },
          "The neutral configuration: a read-only view, not a copy.")
      .def_property_readonly(
          "muscles", [](const Skeleton& s) { return s.muscles.names; },
          "Names of the muscle lines.")
      .def_property_readonly(
          "rest_lengths",
          [](const py::object& self) {
            return viewOf(self.cast<const Skeleton&>().muscles.restLength, self);
          },
          "Length of every muscle's path in the neutral pose [m]: a read-only view, not a copy.")
      .def_property_readonly("muscle_parameters", &muscleParameters,
                             "Arrays by muscle: peak_force [N], fiber_length, tendon_length and\n"
                             "rest_length [m], pennation [rad], pcsa [m^2].")
      .def(
          "to_mjcf", [](const Skeleton& s) { return anatomy::toMjcf(s.compiled); },
          "The skeleton and its muscles as a MuJoCo model (MJCF XML).")
      .def(
          "to_osim",
          [](const Skeleton& s) {
            const anatomy::OsimModel model = anatomy::toOsim(s.compiled);
            return py::make_tuple(model.text, model.dropped);
          },
          "The skeleton and its muscles as an OpenSim 4 model: (XML, list of what was dropped).")
      .def_property_readonly("hinges", &hingesOf,
                             "(name, place in q) of every freedom that is one angle or one slide.");
  bindKinematics(c);
}

}  // namespace pneuma::python
