#include <mutex>

#include "convert.h"
#include "objects.h"
#include "pneuma/core/error.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/pose_maker.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/stage/posed_flesh.h"
#include "pneuma/stage/skin_rig.h"

/// Flesh that is posed by hand.
namespace pneuma::python {
namespace {

using namespace py::literals;
using stage::MuscleLevel;
using stage::PosedFlesh;

/// What is wrong with a level or a tissue names the keyword, where the library speaks of the
/// program's option.
stage::FleshRequest requestOf(const nlohmann::ordered_json& given) {
  stage::FleshRequest request;
  io::readSettings(given, "flesh", request);
  try {
    request.options();
  } catch (const InputError& e) {
    std::vector<Diagnostic> findings = e.diagnostics();
    for (Diagnostic& d : findings) {
      d.field = d.subject.find("tissue") == std::string::npos ? "flesh_level" : "flesh_tissue";
      d.subject = "flesh";
    }
    throw InputError(std::move(findings));
  }
  return request;
}

/// A person's flesh, and all that it looks at.
class Flesh {
 public:
  Flesh(const PersonBody& body, const nlohmann::ordered_json& settings, int triangles)
      : measured_(body.measured),
        fitted_(body.fitted),
        compiled_(anatomy::compileBody(*fitted_, stage::SkinRig::kArticulation).valueOrThrow()),
        model_(skeleton::modelFromBody(compiled_, {.freeRoot = true})),
        lines_(PosedFlesh::linesOf(*fitted_)),
        flesh_(*measured_, *fitted_, compiled_, model_, requestOf(settings), triangles),
        layout_(std::make_shared<const body::FrameLayout>(flesh_.actor().layout())) {
    io::StateWriter out;
    flesh_.save(out);
    start_ = out.bytes();
    frame_ = flesh_.capture(0, model_.neutral, std::vector<double>(lines_.muscles.size(), 0));
  }

  /// The state is as it was when something is wrong, or the pose has no equilibrium.
  void pose(const std::vector<skeleton::JointSetting>& joints,
            const std::vector<MuscleLevel>& levels, const std::string& posture, bool rhythm,
            double seconds) {
    if (!(seconds > 0 && seconds < 1e6))
      throw InputError(Diagnostic{.field = "seconds", .message = "must be positive"});
    if (!posture.empty() && !joints.empty())
      throw InputError(Diagnostic{.field = "posture",
                                  .message = "with joints",
                                  .expected = "a posture, or joints from the neutral pose"});
    const std::vector<double> activations = stage::activationsOf(levels, lines_, "activations");
    const VecX q = posture.empty() ? skeleton::PoseMaker(compiled_, model_)
                                         .make(joints, {.rhythm = rhythm, .subject = "joints"})
                                   : skeleton::makePosture(*fitted_, compiled_, model_, posture);
    frame_ = flesh_.capture(frame_.time + seconds, q, activations);
  }

  void reset() {
    io::StateReader in(start_);
    flesh_.load(in);
    frame_ = flesh_.capture(0, model_.neutral, std::vector<double>(lines_.muscles.size(), 0));
  }

  const flesh::embedded::BodyFlesh& tissue() const { return flesh_.driver().flesh(); }
  const PosedFlesh& posed() const { return flesh_; }
  const body::Frame& frame() const { return frame_; }
  const std::shared_ptr<const body::FrameLayout>& layout() const { return layout_; }
  std::vector<Vec3> skin() const {
    const auto points = frame_.pointsOf(*layout_, skinSet());
    return {points.begin(), points.end()};
  }
  const std::vector<Triangle>& triangles() const {
    return layout_->pointSets[static_cast<std::size_t>(skinSet())].triangles;
  }

  std::mutex mutex;

 private:
  int skinSet() const { return layout_->pointSetIndex("skin"); }

  std::shared_ptr<const anatomy::Body> measured_, fitted_;
  anatomy::CompiledBody compiled_;
  skeleton::Model model_;
  anatomy::CompiledBody lines_;
  PosedFlesh flesh_;
  std::shared_ptr<const body::FrameLayout> layout_;
  std::string start_;
  body::Frame frame_;  // of the last pose
};

/// Work without the GIL, one thread at a time.
template <class Work>
auto alone(Flesh& f, Work&& work) {
  const py::gil_scoped_release release;
  const std::scoped_lock lock(f.mutex);
  return work();
}

std::shared_ptr<Flesh> makeFlesh(const PersonBody& body, const py::dict& settings, int triangles) {
  const nlohmann::ordered_json given = toJson(settings);
  const py::gil_scoped_release release;
  return std::make_shared<Flesh>(body, given, triangles);
}

py::array_t<double> pose(Flesh& f, const std::map<std::string, double>& joints,
                         const std::map<std::string, double>& activations,
                         const std::string& posture, bool rhythm, double seconds) {
  std::vector<skeleton::JointSetting> settings;
  for (const auto& [name, value] : joints) settings.push_back({name, value});
  std::vector<MuscleLevel> levels;
  for (const auto& [name, value] : activations) levels.push_back({name, value});
  return toArray(alone(f, [&] {
    f.pose(settings, levels, posture, rhythm, seconds);
    return f.skin();
  }));
}

/// By muscle: its volume at rest, times what became of it in the last pose.
py::array_t<double> volumes(Flesh& f, bool now) {
  return toArray(alone(f, [&] {
    const auto& parts = f.posed().driver().report().volumes.muscles;
    std::vector<double> all;
    for (const auto& m : f.tissue().muscles)
      all.push_back(m.volume * (now ? parts[all.size()] : 1));
    return all;
  }));
}

// Copies, unlike a frame's arrays: the next pose writes where these numbers came from.
void bindNumbers(py::class_<Flesh, std::shared_ptr<Flesh>>& c) {
  c.def_property_readonly(
       "elements", [](const Flesh& f) { return f.tissue().model.lattice->tetCount(); },
       "Tetrahedra.")
      .def_property_readonly(
          "muscles",
          [](const Flesh& f) {
            std::vector<std::string> names;
            for (const auto& m : f.tissue().muscles) names.push_back(m.name);
            return names;
          },
          "Names of the muscles that have flesh, in the order of the volumes.")
      .def_property_readonly(
          "rest_volumes", [](Flesh& f) { return volumes(f, false); },
          "Volume of every muscle at rest, (muscles,) [m^3]; the array is yours.")
      .def_property_readonly(
          "volumes", [](Flesh& f) { return volumes(f, true); },
          "The same in the last pose: flesh keeps its volume.")
      .def_property_readonly(
          "info", [](const Flesh& f) { return toPython(stage::fleshInfoJson(f.tissue(), false)); },
          "What it is made of: elements by size, nodes, springs, fibres, litres of each tissue.")
      .def_property_readonly(
          "triangles",
          [](const Flesh& f) { return toArray(std::span<const Triangle>(f.triangles())); },
          "Of the skin, (m, 3).")
      .def_property_readonly(
          "report",
          [](Flesh& f) { return toPython(alone(f, [&] { return f.posed().numbers(f.frame()); })); },
          "How the last pose went, as `pneuma flesh pose` prints it: least_j of an element (1 at\n"
          "rest), inverted ones, change of volume in percent, gaps and depth of bones in mm,\n"
          "contacts, newton steps, cpu_s, and the girths of the skin in mm.");
}

}  // namespace

void bindFlesh(py::module_& m) {
  py::class_<Flesh, std::shared_ptr<Flesh>> c(m, "Flesh", "A person's flesh, posed by hand.");
  c.def(py::init(&makeFlesh), "body"_a, "settings"_a, "triangles"_a)
      .def("_pose", &pose, "joints"_a, "activations"_a, "posture"_a, "rhythm"_a, "seconds"_a)
      .def(
          "skin", [](Flesh& f) { return toArray(alone(f, [&] { return f.skin(); })); },
          "The skin in the last pose, (n, 3) [m]; the array is yours.")
      .def(
          "frame",
          [](Flesh& f) {
            return std::make_shared<NamedFrame>(
                NamedFrame{f.layout(), alone(f, [&] { return f.frame(); })});
          },
          "The last pose as a Frame: bones' links, points('skin'), with flesh_muscles the surface\n"
          "of every muscle by its name, and the numbers of the report.")
      .def(
          "reset", [](Flesh& f) { alone(f, [&] { f.reset(); }); },
          "Back to rest, as if no pose had been.");
  bindNumbers(c);
}

}  // namespace pneuma::python
