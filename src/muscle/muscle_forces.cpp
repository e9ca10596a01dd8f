#include "pneuma/muscle/muscle_forces.h"

#include <fmt/format.h>

#include <cmath>

#include "pneuma/core/error.h"

namespace pneuma::muscle {
namespace {

/// Evaluates muscles [begin, end); `sample(i)` gives muscle begin + i. Springs and linear Hill
/// muscles need no calls and no unpredictable branches: 16 ns each, derivatives included.
template <class Sample>
void evaluateRun(int begin, int end, MuscleWorkspace& w, Sample&& sample) {
  double* __restrict force = w.force.data() + begin;
  double* __restrict dLength = w.dLength.data() + begin;
  double* __restrict dVelocity = w.dVelocity.data() + begin;
  double* __restrict dActivation = w.dActivation.data() + begin;
  for (int i = 0; i < end - begin; ++i) {
    const ForceSample s = sample(i);
    force[i] = s.force;
    dLength[i] = s.dLength;
    dVelocity[i] = s.dVelocity;
    dActivation[i] = s.dActivation;
  }
}

}  // namespace

MuscleWorkspace::MuscleWorkspace(const MuscleModel& muscles, int dofCount) : paths(muscles.paths) {
  for (VecX* v :
       {&force, &dLength, &dVelocity, &dActivation, &nextFibreLength, &material, &geometric})
    v->setZero(muscles.count());
  generalizedForce.setZero(dofCount);
}

// The force model is chosen once per run of muscles, outside the loop, so that each loop is
// compiled for one model and stays in vector registers.
void computeTensions(const MuscleModel& m, const MuscleState& state, double dt,
                     MuscleWorkspace& w) {
  for (const ForceRun& run : m.runs) {
    const double* length = w.paths.length.data() + run.begin;
    const double* rate = w.paths.lengthRate.data() + run.begin;
    const double* activation = state.activation.data() + run.begin;
    const auto each = [&](auto&& sample) { evaluateRun(run.begin, run.end, w, sample); };
    switch (run.kind) {
      case ForceKind::Spring:
        each([&](int i) {
          SpringElement e = m.springs[run.first + i];
          e.contraction = state.contraction[run.begin + i];
          return evaluateForce(e, length[i], rate[i], activation[i]);
        });
        break;
      case ForceKind::LinearHill:
        each([&](int i) {
          return evaluateForce(m.hills[run.first + i], length[i], rate[i], activation[i]);
        });
        break;
      case ForceKind::RigidTendon:
        each([&](int i) {
          return evaluateForce(m.curves, m.units[run.first + i], length[i], rate[i], activation[i]);
        });
        break;
      case ForceKind::ElasticTendon:
        each([&](int i) {
          const TendonEquilibrium e =
              stepElastic(m.curves, m.units[run.first + i], length[i], activation[i],
                          state.fibreLength[run.begin + i], dt);
          w.nextFibreLength[run.begin + i] = e.fibreLength;
          return e.sample;
        });
        break;
    }
  }
}

void computeMuscleForces(const skeleton::Model& model, const MuscleModel& muscles,
                         const skeleton::Kinematics& kinematics, const VecX& v,
                         const MuscleState& state, double dt, MuscleWorkspace& w,
                         skeleton::Loads& loads) {
  const bool derivatives = loads.weights.derivatives();
  computePaths(muscles.paths, kinematics, w.paths, derivatives);
  computeLengthRates(muscles.paths, v, w.paths);
  computeTensions(muscles, state, dt, w);
  w.generalizedForce.setZero();
  addTension(muscles.paths, w.paths, w.force, w.generalizedForce);
  loads.force += w.generalizedForce;
  if (!derivatives) return;

  // (dF/dv) v = -P (df/dl') l'
  w.material = w.dVelocity.cwiseProduct(w.paths.lengthRate);
  addTension(muscles.paths, w.paths, w.material, loads.dampingForce);
  w.material = loads.weights.velocity * w.dVelocity + loads.weights.position * w.dLength;
  w.geometric = loads.weights.position * w.force;
  addPathStiffness(model, muscles.paths, kinematics, w.paths, w.material, w.geometric,
                   w.generalizedForce, loads.weights.position, loads);
}

void advance(const MuscleModel& muscles, const MuscleWorkspace& workspace, MuscleState& state) {
  for (const ForceRun& run : muscles.runs)
    if (run.kind == ForceKind::ElasticTendon)
      state.fibreLength.segment(run.begin, run.end - run.begin) =
          workspace.nextFibreLength.segment(run.begin, run.end - run.begin);
}

double storedEnergy(const MuscleModel& m, const MuscleState& state, const PathKinematics& paths) {
  double energy = 0;
  for (const ForceRun& run : m.runs) {
    for (int i = run.begin; i < run.end; ++i) {
      const int p = run.first + i - run.begin;
      const double length = paths.length[i];
      if (run.kind == ForceKind::Spring) {
        SpringElement e = m.springs[p];
        e.contraction = state.contraction[i];
        energy += storedEnergy(e, length, state.activation[i]);
      } else if (run.kind == ForceKind::LinearHill) {
        energy += storedEnergy(m.hills[p], length);
      } else if (run.kind == ForceKind::ElasticTendon) {
        energy += storedEnergy(m.curves, m.units[p], length, state.fibreLength[i]);
      } else {
        const Musculotendon u = m.units[p];
        const double s = std::max(length - u.slackLength, 0.0);
        const double fibre = std::hypot(s, u.optimalLength * std::sin(u.pennation));
        energy += storedEnergy(m.curves, u, u.slackLength + s, fibre);
      }
    }
  }
  return energy;
}

void checkFinite(const MuscleModel& muscles, const MuscleWorkspace& w, double time) {
  if (w.force.allFinite() && w.paths.length.allFinite()) return;
  for (int i = 0; i < muscles.count(); ++i)
    if (!std::isfinite(w.force[i]) || !std::isfinite(w.paths.length[i]))
      throw SimulationError(time, fmt::format("muscle '{}'", muscles.names[i]),
                            fmt::format("length {} m, rate {} m/s, force {} N", w.paths.length[i],
                                        w.paths.lengthRate[i], w.force[i]));
}

}  // namespace pneuma::muscle
