#pragma once

#include <array>
#include <vector>

#include "pneuma/breath/breath_control.h"
#include "pneuma/breath/torso_measures.h"

/// What an examiner asks of a person: to relax, to breathe in and out as far and as hard as they
/// can, with the airway open or shut. Everything here runs one trunk from rest.
namespace pneuma::breath {

/// Every muscle that helps, as hard as it can: contractions far beyond what its strength allows.
Contractions fullInspiration(double effort = 1);
Contractions fullExpiration(double effort = 1);

/// Work and load of the muscles over some time.
struct MuscleWork {
  std::array<double, kGroupCount> done{};  ///< active tension times shortening, both signs [J]
  std::array<double, kGroupCount> load{};  ///< greatest mean active tension over strength [-]
  double greatestLoad = 0;                 ///< of a single element over its force-length curve [-]
  double positive() const;                 ///< sum of the groups that gave work [J]
};

/// One trunk under examination.
class Examination {
 public:
  explicit Examination(const TorsoModel& model, double step = 0);

  /// Steps for `seconds`; contractions go from the present ones to `contractions` within `ramp` s.
  void hold(const Contractions& contractions, const Airway& airway, double seconds,
            double ramp = 0);
  TorsoMeasures now();
  double gas() const { return state_.cage.gas; }  ///< in the lungs, by the spirometer [m^3]
  double time() const { return state_.time; }
  const TorsoReading& reading() { return workspace_.reading(); }
  double step() const { return step_; }
  const PointArray& points() const { return workspace_.points(); }

  /// Of every step since the last clear: time [s], gas [m^3], flow into the mouth [m^3/s].
  struct Trace {
    std::vector<double> time, gas, flow, alveolar, pleural, abdominal;
  };
  const Trace& trace() const { return trace_; }
  const MuscleWork& work() const { return work_; }
  void clear();

 private:
  void countWork(const MuscleDrive& drive);

  const TorsoModel& model_;
  TorsoState state_;
  TorsoWorkspace workspace_;
  Contractions present_;
  double step_;
  Trace trace_;
  MuscleWork work_;
  std::vector<double> lengths_;
};

/// A relaxed trunk, blown up and sucked empty at the mouth.
struct RelaxationPoint {
  double mouth = 0;    ///< pressure [Pa], which is that of the whole system
  double gas = 0;      ///< [m^3]
  double ribCage = 0;  ///< change of volume against rest [m^3]
  double abdomen = 0;  ///< "
  double wall = 0;     ///< recoil of the chest wall [Pa]: mouth less recoil of the lung
  double pleural = 0;  ///< change against rest [Pa]
};
std::vector<RelaxationPoint> relaxationCurve(const TorsoModel& model,
                                             const std::vector<double>& mouthPressures);
/// The mouth pressure at which the relaxed lungs hold `gas` [m^3], by bisection.
RelaxationPoint relaxedAt(const TorsoModel& model, double gas);

/// Chest wall around rest, by a small pressure at the mouth [m^3/Pa].
struct WallCompliance {
  double ribCage = 0, abdomen = 0;
  double total() const { return ribCage + abdomen; }
};
WallCompliance wallCompliance(const TorsoModel& model);

/// A vital capacity: full, then empty.
struct VitalCapacity {
  double full = 0, empty = 0;  ///< gas [m^3]
  TorsoMeasures atFull, atEmpty;
  MuscleWork work;
  Examination::Trace trace;  ///< in, then out
};
VitalCapacity vitalCapacity(const TorsoModel& model, double effort = 1);

/// Greatest alveolar pressure against a shut airway: in from empty, out from full lungs.
struct GreatestPressure {
  double pressure = 0;       ///< against the atmosphere [Pa], negative in
  double shut = 0;           ///< when the airway was shut [s]
  Examination::Trace trace;  ///< from rest, the way to empty or full lungs included
};
GreatestPressure greatestPressureIn(const TorsoModel& model);
GreatestPressure greatestPressureOut(const TorsoModel& model);
/// Alveolar pressure and change of the transdiaphragmatic one when contractions act on a shut
/// airway from rest [Pa].
struct Occlusion {
  double alveolar = 0, transdiaphragmatic = 0;
};
Occlusion occlusion(const TorsoModel& model, const Contractions& contractions);

/// As fast as one can, from full to empty lungs.
struct ForcedExpiration {
  double vital = 0, firstSecond = 0;    ///< FVC, FEV1 [m^3]
  double peak = 0;                      ///< [m^3/s]
  double at25 = 0, at50 = 0, at75 = 0;  ///< flow when that percentage of FVC is out [m^3/s]
  std::vector<double> time;             ///< since the effort began [s]
  std::vector<double> volume, flow;     ///< out so far [m^3], out [m^3/s]
};
ForcedExpiration forcedExpiration(const TorsoModel& model);

/// Force that holds the sternum's middle a centimetre further back than at rest, relaxed [N].
double sternumPush(const TorsoModel& model, double depth = 0.01);

}  // namespace pneuma::breath
