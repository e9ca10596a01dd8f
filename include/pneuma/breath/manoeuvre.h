#pragma once

#include <array>
#include <vector>

#include "pneuma/breath/breath_control.h"
#include "pneuma/breath/torso_measures.h"
#include "pneuma/breath/work_meter.h"

/// What an examiner asks of a person: to relax, to breathe in and out as far and as hard as they
/// can, with the airway open or shut. Everything here runs one trunk from rest.
namespace pneuma::breath {

/// Every muscle that helps, as hard as it can: contractions far beyond what its strength allows.
Contractions fullInspiration(double effort = 1);
Contractions fullExpiration(double effort = 1);

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
  const MuscleWork& work() const { return meter_.work(); }
  void clear();

 private:
  const TorsoModel& model_;
  TorsoState state_;
  TorsoWorkspace workspace_;
  Contractions present_;
  double step_;
  Trace trace_;
  WorkMeter meter_;
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

/// A moment of both compartments.
struct CompartmentPoint {
  double time = 0, gas = 0;           ///< [s], [m^3]
  double ribCage = 0, abdomen = 0;    ///< change of volume against rest [m^3]
  double pleural = 0, abdominal = 0;  ///< change of pressure against rest [Pa]
};

/// Volume shifted between belly and chest with the airway shut at rest (Konno and Mead 1967).
struct Isovolume {
  std::vector<CompartmentPoint> points;
  double slope = 0;    ///< of rib cage over abdomen, by regression; -1: nothing is lost
  double shifted = 0;  ///< range of the rib cage's volume [m^3]
};
Isovolume isovolume(const TorsoModel& model);

/// As much air as one can move in twelve seconds.
struct Ventilation {
  double perMinute = 0;        ///< [m^3/s]
  double tidal = 0, rate = 0;  ///< mean breath [m^3], breaths per second [1/s]
  Examination::Trace trace;
};
Ventilation maximalVentilation(const TorsoModel& model, double breathsPerMinute = 80);

/// A short, sharp effort at rest with the nostril pressed shut.
struct Sniff {
  double alveolar = 0, transdiaphragmatic = 0;  ///< greatest change [Pa], negative and positive
  Examination::Trace trace;
};
Sniff sniff(const TorsoModel& model);

/// Campbell's diagram of one inspiration under contractions that grow within `seconds`, and its
/// areas: the work that people's is measured as, by a balloon in the oesophagus.
///
///   W = integral of Pmus dV,  Pmus = P_wall(V) - dP_pl
///
///   P_wall(V)  relaxed chest wall at that volume, against rest [Pa]    dP_pl  change of the
///   pleural pressure [Pa]    V  gas in the lungs [m^3]
struct Campbell {
  std::vector<CompartmentPoint> breath;     ///< in, then out when the muscles let go
  std::vector<RelaxationPoint> relaxed;     ///< the wall's line from rest to the top
  double volume = 0;                        ///< breathed in [m^3]
  double elasticLung = 0, elasticWall = 0;  ///< against recoil, from rest [J]
  double resistive = 0;                     ///< airways [J]
  double total = 0;                         ///< W [J]
  double fibres = 0;  ///< what the muscle fibres gave, distortion included [J]
  double work() const { return volume > 0 ? total / volume : 0; }  ///< [J/m^3]
};
Campbell campbell(const TorsoModel& model, const Contractions& contractions, double seconds = 1.6);

/// The airway is shut at the end of an expiration and the next breath of a style begins against it:
/// alveolar pressure a tenth of a second after it has left zero by 0.1 cmH2O, where a recorder
/// shows the effort's start [Pa].
double occlusionAtTenth(const TorsoModel& model, const BreathStyle& style);

/// Volume of a breath of a style over the change of the transpulmonary pressure between its ends,
/// where no air flows (dynamic compliance) [m^3/Pa].
double dynamicLungCompliance(const TorsoModel& model, const BreathStyle& style);

/// Force that holds the sternum's middle a centimetre further back than at rest, relaxed [N].
double sternumPush(const TorsoModel& model, double depth = 0.01);

}  // namespace pneuma::breath
