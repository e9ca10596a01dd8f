#include <mutex>

#include "convert.h"
#include "objects.h"
#include "pneuma/control/exercise.h"
#include "pneuma/control/load_text.h"
#include "pneuma/control/muscle_controller.h"
#include "pneuma/control/target_follower.h"
#include "pneuma/core/error.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/skeleton/configuration.h"

namespace pneuma::python {
namespace {

using namespace py::literals;
using NumberArray = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// A body moved by its muscles: by excitations from outside, or by a controller towards a pose.
class MuscleBody {
 public:
  MuscleBody(std::shared_ptr<const Skeleton> skeleton, bool excitation, const std::string& tension)
      : skeleton_(std::move(skeleton)), body_(skeleton_->compiled, control::actingBodyConfig()) {
    control::ControlConfig config;
    config.excitation = excitation;
    controller_.emplace(body_, skeleton_->compiled, config);
    controller_->coactivation() = control::parsePerPart(tension, "coactivation");
    follower_.emplace(body_.model(), controller_->plan().prescribed());
    start_ = saved();
  }

  muscle::DrivenBody& body() { return body_; }
  const muscle::DrivenBody& body() const { return body_; }
  control::MuscleController& controller() { return *controller_; }
  const control::MuscleController& controller() const { return *controller_; }

  /// Loads stand last in a saved state: the new one joins the start that reset() goes back to.
  void hold(const std::string& load) {
    const std::size_t before = saved().size();
    controller_->loads().add(control::parseLoad(load, body_.model(), "load").load);
    start_ += saved().substr(before);
  }

  /// Steps of a body that is told how to excite its muscles.
  void excite(const VecX& excitations, double seconds) {
    Interruption interruption;
    const std::span<const double> given(excitations.data(),
                                        static_cast<std::size_t>(excitations.size()));
    led_ = false;
    forEachStep(seconds, [&] {
      body_.step(given);
      interruption.check();
    });
    body_.refresh();
  }

  /// Steps of a body whose muscles are found for a pose, wherever that may be.
  void reach(const VecX& q, double seconds) {
    const skeleton::State& state = body_.state().skeleton;
    if (!led_) follower_->start(state.q, state.v);
    led_ = true;
    Interruption interruption;
    forEachStep(seconds, [&] {
      controller_->step(follower_->lead(q, body_.config().step));
      interruption.check();
    });
    body_.refresh();
  }

  void reset() {
    io::StateReader in(start_);
    controller_->load(in);
    led_ = false;
    body_.refresh();
  }

  std::mutex mutex;

 private:
  std::string saved() const {
    io::StateWriter out;
    controller_->save(out);
    return out.bytes();
  }

  template <class Step>
  void forEachStep(double seconds, Step&& step) {
    const double h = body_.config().step;
    if (!(seconds > 0 && seconds < 1e6))
      throw InputError(Diagnostic{.field = "seconds", .message = "must be positive"});
    const long count = std::max(1L, std::lround(seconds / h));
    for (long i = 0; i < count; ++i) step();
  }

  std::shared_ptr<const Skeleton> skeleton_;
  muscle::DrivenBody body_;
  std::optional<control::MuscleController> controller_;
  std::optional<control::TargetFollower> follower_;
  bool led_ = false;  // the follower is where reach() left it
  std::string start_;
};

/// Long work without the GIL, one thread at a time.
template <class Work>
void alone(MuscleBody& b, Work&& work) {
  const py::gil_scoped_release release;
  const std::scoped_lock lock(b.mutex);
  work();
}

int muscleIndex(const MuscleBody& b, const std::string& name) {
  const int at = b.body().muscles().find(name);
  if (at < 0)
    throw InputError(Diagnostic{.field = "muscle",
                                .message = "no muscle '" + name + "'",
                                .nearest = nearestName(name, b.body().muscles().names)});
  return at;
}

std::vector<std::string> drivenNames(const MuscleBody& b) {
  std::vector<std::string> names;
  for (int r = 0; r < b.controller().plan().rowCount(); ++r)
    names.push_back(b.controller().rowName(r));
  return names;
}

py::list exerciseList() {
  py::list list;
  for (const control::ExerciseInfo& e : control::exercises())
    list.append(py::make_tuple(e.name, e.meaning));
  return list;
}

using MuscleBodyClass = py::class_<MuscleBody, std::shared_ptr<MuscleBody>>;

/// State and results, looked at where they are.
void bindNumbers(MuscleBodyClass& c) {
  const auto view = [&](const char* name, auto get, const char* text) {
    c.def_property_readonly(
        name, [get](const py::object& self) { return viewOf(get(self.cast<MuscleBody&>()), self); },
        text);
  };
  view(
      "q", [](MuscleBody& b) -> const VecX& { return b.body().state().skeleton.q; },
      "Configuration: a read-only view that follows the body.");
  view(
      "v", [](MuscleBody& b) -> const VecX& { return b.body().state().skeleton.v; },
      "Velocity: a read-only view that follows the body.");
  view(
      "activations",
      [](MuscleBody& b) -> const VecX& { return b.body().state().muscles.activation; },
      "Activation of each muscle, 0 .. 1: a read-only view that follows the body.");
  view(
      "tensions", [](MuscleBody& b) -> const VecX& { return b.body().muscleResults().force; },
      "Force of each muscle [N]: a read-only view that follows the body.");
  view(
      "lengths", [](MuscleBody& b) -> const VecX& { return b.body().muscleResults().paths.length; },
      "Length of each muscle's path [m]: a read-only view that follows the body.");
  view(
      "demand", [](MuscleBody& b) -> const VecX& { return b.controller().report().demand; },
      "Active torque that the last pose asked each driven joint for [N m]: a read-only view.");
  view(
      "missing", [](MuscleBody& b) -> const VecX& { return b.controller().report().slack; },
      "What of it the muscles could not give [N m]: a read-only view.");
}

}  // namespace

// Long methods let go of the interpreter and lock the body instead, so that a notebook's progress
// can be drawn meanwhile.
void bindControl(py::module_& m) {
  m.def("exercises", &exerciseList, "Names and meanings of the exercises that act() takes.");
  MuscleBodyClass c(
      m, "MuscleBody",
      "A body moved by its own muscles.\n\n"
      "skeleton: from Body.skeleton(). excitation: activations follow excitations and cannot "
      "jump.\n"
      "coactivation: tension of agonists against antagonists, '0.2' or 'arms=0.5,neck=0.2'.\n\n"
      "excite() steps it with excitations of your own, reach() with those that its controller\n"
      "finds for a pose. Arrays are views that follow the body; copy them to keep a moment.\n"
      "Methods release the GIL; one thread at a time moves a body, others wait.");
  c.def(py::init([](std::shared_ptr<const Skeleton> skeleton, bool excitation,
                    const std::string& coactivation) {
          const py::gil_scoped_release release;
          return std::make_shared<MuscleBody>(std::move(skeleton), excitation, coactivation);
        }),
        "skeleton"_a, "excitation"_a = false, "coactivation"_a = "0")
      .def_property_readonly(
          "time", [](const MuscleBody& b) { return b.body().state().skeleton.time; },
          "Simulated time [s].")
      .def_property_readonly(
          "step", [](const MuscleBody& b) { return b.body().config().step; }, "Time step [s].")
      .def_property_readonly(
          "muscles", [](const MuscleBody& b) { return b.body().muscles().names; },
          "Names of the muscles, in the order of all arrays.")
      .def_property_readonly(
          "dofs", [](const MuscleBody& b) { return b.body().dofNames(); },
          "Names of the degrees of freedom, in the order of v.")
      .def_property_readonly("driven", &drivenNames,
                             "Joints that muscles are asked to move, in the order of `demand`.")
      .def(
          "hold", [](MuscleBody& b, const std::string& load) { alone(b, [&] { b.hold(load); }); },
          "load"_a, "Puts a load somewhere: '5kg@hand_r' or '0/-30/0N@hand_l'.")
      .def(
          "excite",
          [](MuscleBody& b, const NumberArray& excitations, double seconds) {
            const VecX given = toVector(excitations, b.body().muscles().count(), "excitations");
            if (!(given.minCoeff() >= 0 && given.maxCoeff() <= 1))
              throw InputError(Diagnostic{
                  .field = "excitations", .message = "out of range", .expected = "0 .. 1 each"});
            alone(b, [&] { b.excite(given, seconds); });
          },
          "excitations"_a, "seconds"_a,
          "Goes on with these excitations, 0 .. 1 by muscle; at least one step.")
      .def(
          "reach",
          [](MuscleBody& b, const NumberArray& q, double seconds) {
            const VecX pose = toVector(q, b.body().model().positionCount(), "q");
            alone(b, [&] { b.reach(pose, seconds); });
          },
          "q"_a, "seconds"_a,
          "Goes on towards a pose, by muscles alone; at least one step. The pose may jump: the "
          "body\n"
          "is led there as a person moves, a turn by a radian takes about a second.")
      .def(
          "prescribe",
          [](MuscleBody& b, const std::string& muscle, std::optional<double> activation) {
            const int at = muscleIndex(b, muscle);
            alone(b, [&] {
              if (activation)
                b.controller().prescribe(at, *activation);
              else
                b.controller().release(at);
            });
          },
          "muscle"_a, "activation"_a,
          "Sets one muscle's activation from outside in reach(), whatever the pose asks for; None\n"
          "gives it back to the controller.")
      .def(
          "reset", [](MuscleBody& b) { alone(b, [&] { b.reset(); }); },
          "Back to the start, at rest; loads stay, as they were sensed then.");
  bindNumbers(c);
}

}  // namespace pneuma::python
