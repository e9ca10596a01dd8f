#include "pneuma/flesh/grid_experiments.h"

#include <algorithm>
#include <cmath>

#include "flesh/grid/grid_terms.h"
#include "pneuma/core/check.h"
#include "pneuma/muscle/musculotendon.h"

namespace pneuma::flesh {
namespace {

constexpr double kStep = 0.005;

/// Gravity would make the muscle sag and is no part of the laboratory.
MuscleSetup onTheBench(const MuscleSetup& setup) {
  MuscleSetup bench = setup;
  bench.gravity.setZero();
  bench.moves.clear();
  return bench;
}

double axialForce(const GridModel& model, const Vec3& axis, const GridState& s) {
  return endForce(model, GridEnd::First, s.time, s.q, s.v).dot(axis);
}

double expectedForce(const GridModel& model, double activation, double length, double velocity) {
  const auto active = model.curves.activeForceLength(length);
  return activation * active.value * model.curves.forceVelocity(velocity).value +
         model.curves.passiveForceLength(length).value;
}

/// cos of the pennation angle at a fibre length.
double cosPennation(const MuscleSetup& setup, double length) {
  const double sine = std::sin(setup.muscle.pennation) / length;
  return std::sqrt(std::max(0.0, 1 - sine * sine));
}

}  // namespace

std::vector<MuscleSample> measureIsometric(const MuscleSetup& setup,
                                           const std::vector<double>& lengths, double activation) {
  std::vector<MuscleSample> samples;
  for (double wanted : lengths) {
    MuscleSetup bench = onTheBench(setup);
    // Long muscles are stretched at rest and then excited, as in the laboratory: active stretch on
    // the descending limb leaves fibres of unequal length and too much force. Short ones would
    // only go slack; they are excited first.
    const double start = wanted < 1 ? 0 : 0.3;
    bench.excitation = {{start, activation}};
    bench.initialActivation = start > 0 ? 0 : activation;
    // The plane also makes room for what the two tendons will give.
    const GridShape shape = makeMuscleShape(bench);
    const double length = restLength(shape);
    const muscle::ZajacCurves curves(bench.muscle.curves);
    const double guess = activation * curves.activeForceLength(wanted).value +
                         curves.passiveForceLength(wanted).value;
    const double tendons = 2 * bench.muscle.tendonSlack * curves.tendonStrain(guess);
    bench.moves = {{0, wanted - 1 + tendons / length, 0.3}};
    const GridModel model = makeMuscleBetweenPlanes(bench, shape);
    GridStepper stepper(model, preciseStepper());
    GridState state = makeRestState(model);
    while (state.time < 0.6 - kStep / 2) stepper.step(state, kStep);
    MuscleSample sample;
    sample.length = normalisedFibreLength(model, state.q);
    sample.force = axialForce(model, muscleAxis(shape), state) / bench.muscle.maxForce;
    sample.expected =
        expectedForce(model, activation, sample.length, 0) * cosPennation(bench, sample.length);
    samples.push_back(sample);
  }
  return samples;
}

std::vector<MuscleSample> measureIsotonic(const MuscleSetup& setup,
                                          const std::vector<double>& loads) {
  std::vector<MuscleSample> samples;
  for (double load : loads) {
    MuscleSetup bench = onTheBench(setup);
    bench.excitation = {{0, 1}};
    bench.initialActivation = 1;
    const GridShape shape = makeMuscleShape(bench);
    GridModel model = makeMuscleBetweenPlanes(bench, shape);
    const Vec3 axis = muscleAxis(shape);
    // A weight on a string instead of the second tendon.
    std::erase_if(model.tendons, [](const GridTendon& t) { return t.anchor == 1; });
    for (const auto& [id, share] : endNodes(model.solid, GridEnd::Last))
      model.loads.push_back({id, load * bench.muscle.maxForce * share * axis});
    GridStepper stepper(model, preciseStepper());
    GridState state = makeRestState(model);
    const double low = load < 1 ? 0.92 : 1.02, high = load < 1 ? 0.98 : 1.06;
    const double h = 0.001;
    double first = 0, last = 0, t0 = -1, t1 = 0;
    while (state.time < 3) {
      stepper.step(state, h);
      const double length = normalisedFibreLength(model, state.q);
      if (length >= low && length <= high) {
        if (t0 < 0) t0 = state.time, first = length;
        t1 = state.time, last = length;
      } else if (t0 >= 0) {
        break;
      }
    }
    PNEUMA_CHECK(t1 > t0 && t0 >= 0, "load {} was not moved", load);
    MuscleSample sample;
    sample.length = 0.5 * (first + last);
    sample.velocity = (last - first) / (t1 - t0) / bench.muscle.maxVelocity;
    sample.force = load;
    sample.expected = expectedForce(model, 1, sample.length, sample.velocity);
    samples.push_back(sample);
  }
  return samples;
}

QuickRelease measureQuickRelease(const MuscleSetup& setup, double fraction) {
  constexpr double kRelease = 0.4, kEnd = 0.8, kFine = 0.001;
  MuscleSetup bench = onTheBench(setup);
  bench.excitation = {{0, 1}};
  bench.initialActivation = 1;
  bench.moves = {{kRelease, -fraction, 0.002}};
  const GridShape shape = makeMuscleShape(bench);
  const double length = restLength(shape);
  const Vec3 axis = muscleAxis(shape);
  const GridModel model = makeMuscleBetweenPlanes(bench, shape);
  GridStepper stepper(model, preciseStepper());
  GridState state = makeRestState(model);

  // The same unit in one dimension: both tendons in series are one of twice the slack length.
  const double cosine = std::cos(bench.muscle.pennation);
  muscle::Musculotendon unit;
  unit.maxForce = bench.muscle.maxForce;
  unit.optimalLength =
      bench.muscle.optimalLength > 0 ? bench.muscle.optimalLength : length / cosine;
  unit.slackLength = 2 * bench.muscle.tendonSlack;
  unit.pennation = bench.muscle.pennation;
  unit.maxVelocity = bench.muscle.maxVelocity;
  double fibre = unit.optimalLength;

  QuickRelease result;
  while (state.time < kEnd - kFine / 2) {
    stepper.step(state, kFine);
    const double total = length + unit.slackLength + planeOffset(bench.moves, length, state.time);
    const auto lumped = muscle::stepElastic(model.curves, unit, total, 1, fibre, kFine);
    fibre = lumped.fibreLength;
    result.time.push_back(state.time - kRelease);
    result.block.push_back(axialForce(model, axis, state) / bench.muscle.maxForce);
    result.lumped.push_back(lumped.sample.force / bench.muscle.maxForce);
  }
  return result;
}

}  // namespace pneuma::flesh
