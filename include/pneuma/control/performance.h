#pragma once

#include "pneuma/control/exercise.h"
#include "pneuma/control/load_text.h"

namespace pneuma::control {

/// A body that performs an exercise by its own muscles: targets, loads and given activations are
/// brought to the controller in step with time.
///
///   Performance p(compiled);
///   p.set(makeExercise("curl", compiled, p.body().model()));
///   p.start();
///   while (!p.done()) p.step();
class Performance {
 public:
  /// `compiled` outlives it.
  explicit Performance(const anatomy::CompiledBody& compiled, const ControlConfig& config = {},
                       const muscle::DrivenBodyConfig& body = actingBodyConfig());

  muscle::DrivenBody& body() { return body_; }
  const muscle::DrivenBody& body() const { return body_; }
  MuscleController& controller() { return controller_; }
  const MuscleController& controller() const { return controller_; }
  const Exercise& exercise() const { return exercise_; }
  const std::vector<LoadSchedule>& loads() const { return loads_; }

  /// What to do. Its loads are not taken: see hold.
  void set(Exercise exercise);
  /// Takes up a load, as of parseLoad; errors name `subject`.
  void hold(const std::string& load, const std::string& subject = "load");
  /// Moves a load to another point of its link, in the link's frame [m]; at first it is held at the
  /// link's centre of mass.
  void placeLoad(int load, const Vec3& local);
  /// A force on a held load from now on, in the world [N], in place of its schedule's.
  void push(int load, const Vec3& force);
  /// In the first pose of the exercise, moving as it does there, and in balance; what hangs stays
  /// where it came to rest.
  void start();
  void step();

  double time() const { return body_.state().skeleton.time; }
  bool done() const { return time() > exercise_.seconds - 0.5 * body_.config().step; }

  /// Target less pose now, by degree of freedom; of those that muscles drive in `largestError`.
  const VecX& error();
  double largestError(int* dof = nullptr);

 private:
  void prescribe();

  muscle::DrivenBody body_;
  MuscleController controller_;
  Exercise exercise_;
  std::vector<LoadSchedule> loads_;
  MotionTarget target_;
  VecX error_;
};

}  // namespace pneuma::control
