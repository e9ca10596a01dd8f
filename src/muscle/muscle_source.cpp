#include "pneuma/muscle/muscle_source.h"

namespace pneuma::muscle {

MuscleSource::MuscleSource(const skeleton::Model& model, const MuscleModel& muscles,
                           const MuscleState& state, double dt)
    : muscles_(muscles),
      state_(state),
      dt_(dt),
      workspace_(muscles, model.dofCount()),
      energyPaths_(muscles.paths) {}

void MuscleSource::addLoads(const skeleton::Model& model, const skeleton::State& state,
                            const skeleton::Kinematics& kinematics, skeleton::Loads& loads) {
  computeMuscleForces(model, muscles_, kinematics, state.v, state_, dt_, workspace_, loads);
  checkFinite(muscles_, workspace_, state.time);
}

double MuscleSource::energy(const skeleton::Model&, const skeleton::State&,
                            const skeleton::Kinematics& kinematics) const {
  computePaths(muscles_.paths, kinematics, energyPaths_);
  return storedEnergy(muscles_, state_, energyPaths_);
}

void MuscleSource::addCoupling(skeleton::Coupling& coupling) const {
  std::vector<skeleton::DofRange> crossed;
  for (int m = 0; m < muscles_.count(); ++m) {
    crossed.clear();
    for (int r = muscles_.paths.rangeBegin[m]; r < muscles_.paths.rangeBegin[m + 1]; ++r) {
      const RowRange& range = muscles_.paths.ranges[r];
      crossed.push_back({range.dof, range.dof + range.count});
    }
    coupling.couple(crossed);
  }
}

}  // namespace pneuma::muscle
