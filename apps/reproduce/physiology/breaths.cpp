#include <algorithm>
#include <cmath>

#include "pneuma/body/living_examination.h"
#include "pneuma/body/living_simulation.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/stage/breath_request.h"
#include "reproduce/physiology/measured.h"
#include "reproduce/physiology/subject.h"

namespace pneuma::reproduce::physiology {
namespace {

using namespace pneuma::breath;

constexpr double kInspiration = 1.6;  // of a quiet breath [s]

BreathSummary breathe(BreathSettings settings, double seconds) {
  BreathSimulation run(std::move(settings));
  run.run(seconds);
  return run.summary();
}

/// A style's breath in as an examination: work, loads, travel.
struct BreathIn {
  MuscleWork work;
  double gas = 0;          ///< breathed in [m^3]
  double sternumTilt = 0;  ///< forward travel of the lower over the upper end
  double diaphragm = 0;    ///< change of the transdiaphragmatic pressure [Pa]
  double share = 0;        ///< of the rib cage
};

BreathIn breatheIn(const TorsoModel& man, const char* style) {
  Examination trial(man);
  const TorsoMeasures rest = trial.now();
  trial.hold(inspirationOf(style), {}, kInspiration, kInspiration);
  const TorsoMeasures top = trial.now();
  BreathIn out{.work = trial.work(), .gas = trial.gas() - man.lungs.rest};
  const auto forward = [&](std::int32_t i) {
    return trial.points()[static_cast<std::size_t>(i)].z() -
           man.rest[static_cast<std::size_t>(i)].z();
  };
  // The upper end mirrors the lower one at the middle of a rigid sternum.
  const double middle = forward(man.landmarks.sternumMid), lower = forward(man.landmarks.xiphoid);
  out.sternumTilt = lower / (2 * middle - lower);
  out.diaphragm =
      (top.gutPressure - rest.gutPressure) - (top.pleuralPressure - rest.pleuralPressure);
  out.share = (top.ribCageVolume - rest.ribCageVolume) /
              (top.lungVolume + top.gutVolume - rest.lungVolume - rest.gutVolume);
  return out;
}

}  // namespace

void measureQuiet(Figures& f) {
  const TorsoModel man = trunkOf(subject());
  const BreathSummary b = breathe(settingsOf(subject(), "casual"), 16);
  f["tidal_volume"] = b.tidalVolume / kMillilitre;
  f["rib_share"] = 100 * b.ribCageShare;
  f["dome_quiet"] = b.dome / kMillimetre;
  f["sternum_forward"] = b.sternumForward / kMillimetre;
  f["sternum_up"] = b.sternumUp / kMillimetre;
  f["rib_1"] = radiansToDegrees(b.pump[0]);
  f["rib_3"] = radiansToDegrees(b.pump[2]);
  f["rib_7"] = radiansToDegrees(b.pump[6]);
  f["rib_1_over_7"] = b.pump[0] / b.pump[6];
  f["gastric_swing"] = b.gutPressure / kCmH2O;
  f["pleural_swing"] = b.pleuralPressure / kCmH2O;
  f["chest_girth_quiet"] = b.girth[0] / kMillimetre;
  f["waist_girth_quiet"] = b.girth[2] / kMillimetre;
  f["belly_quiet"] = b.belly / kMillimetre;
  const BreathIn in = breatheIn(man, "casual");
  f["sternum_tilt"] = in.sternumTilt;
  f["pdi_swing"] = in.diaphragm / kCmH2O;
  f["p01"] = occlusionAtTenth(man, stage::dataStyle("casual")) / kCmH2O;
  f["scalene_load"] = 100 * in.work.load[static_cast<std::size_t>(MuscleGroup::Scalene)];
  f["occlusion_quiet"] = occlusion(man, inspirationOf("casual")).alveolar / kCmH2O;
  // The pressure that drives half a litre a second out at rest.
  constexpr double kFlow = 0.5e-3;  // [m^3/s]
  double low = 0, high = 10 * kCmH2O;
  for (int i = 0; i < 40; ++i) {
    const double p = 0.5 * (low + high);
    (man.lungs.flow(-p, man.lungs.rest).flow > -kFlow ? low : high) = p;
  }
  f["airway_resistance"] = low / kCmH2O / (kFlow / kLitre);
}

void measureDiagrams(Measured& out) {
  const TorsoModel man = trunkOf(subject());
  const Lungs& l = man.lungs;
  out.quiet = campbell(man, inspirationOf("casual"));
  out.deep = campbell(man, inspirationOf("deep"));
  out.figures["work_quiet"] = out.quiet.work() * kLitre;
  out.figures["work_deep"] = out.deep.work() * kLitre;
  // Relaxed at a volume by a pressure at the mouth, then shut.
  for (const double mouth : {-20.0, -8.0, 0.0, 8.0, 18.0, 32.0}) {
    PressurePoint point;
    for (const bool in : {true, false}) {
      Examination trial(man);
      trial.hold({}, {.mouthPressure = 0.5 * mouth * kCmH2O}, 1);
      trial.hold({}, {.mouthPressure = mouth * kCmH2O}, 4);
      point.vitalPercent = 100 * (trial.gas() - l.residual) / (l.total - l.residual);
      trial.hold(in ? fullInspiration() : fullExpiration(), {.open = false}, 2, 0.4);
      (in ? point.in : point.out) = trial.reading().alveolarPressure;
    }
    out.pressures.push_back(point);
  }
  constexpr double kRate = 15;  // [1/min]
  for (const double effort : {0.5, 1.0, 2.0, 3.0, 4.5}) {
    const Campbell c = campbell(man, inspirationOf("casual") * effort);
    out.efforts.push_back({kRate * c.volume / kLitre, kRate * c.total});
  }
}

void measureFull(Figures& f) {
  const TorsoModel man = trunkOf(subject());
  const Lungs& l = man.lungs;
  for (const char* name : {"vital-capacity", "mip", "mep", "isovolume", "mvv", "sniff"})
    measureManoeuvre(name, f);
  f["tlc_highest"] = f["tlc_reached"];
  f["rv_lowest"] = f["rv_reached"];
  for (const double effort : {2.0, 5.0, 20.0}) {
    const VitalCapacity more = vitalCapacity(man, effort);
    f["tlc_highest"] = std::max(f["tlc_highest"], 100 * more.full / l.total);
    f["rv_lowest"] = std::min(f["rv_lowest"], 100 * more.empty / l.residual);
  }
  const BreathIn quiet = breatheIn(man, "casual"), deep = breatheIn(man, "deep");
  f["share_deep_minus_quiet"] = 100 * (deep.share - quiet.share);
  // The greatest is that of Laporta & Grassino's manoeuvre: in and bearing down at once, so that
  // the belly does not yield. With the belly relaxed it gives what a sniff does.
  Contractions combined = fullInspiration();
  combined.rectus = combined.transverse = 1;
  f["pdi_max"] = occlusion(man, combined).transdiaphragmatic / kCmH2O;
}

void measurePostures(Figures& f) {
  const auto man =
      std::make_shared<const anatomy::Body>(anatomy::fitToPerson(*subjectBody(), subject()));
  const body::LivingModel model = body::makeLivingModel(man);
  const auto pose = [&](const char* posture) {
    return skeleton::makePosture(*model.body, model.compiled, model.tree, posture);
  };
  const auto lie = [&](const char* posture) {
    body::LivingSettings s;
    s.motion = skeleton::makePoseTrack(model.tree, pose(posture));
    s.style = stage::dataStyle("casual");
    body::LivingSimulation run(model, s);
    run.run(12);
    return std::pair{run.settled().lungVolume, run.summary().ribCageShare};
  };
  const auto standing = lie("standing"), supine = lie("supine"), prone = lie("prone");
  f["supine_frc"] = (supine.first - standing.first) / kMillilitre;
  f["prone_frc"] = (prone.first - supine.first) / kMillilitre;
  const WallCompliance wall = body::wallCompliance(model, pose("supine"));
  f["supine_rib_cage_compliance"] = wall.ribCage * kCmH2O / kMillilitre;
  f["supine_abdomen_compliance"] = wall.abdomen * kCmH2O / kMillilitre;
  f["supine_share"] = 100 * supine.second;
  f["prone_share"] = 100 * prone.second;
}

void measurePersons(Figures& f) {
  anatomy::Person old = subject(), oldest = subject(), light = subject(), heavy = subject();
  old.age = 65;
  oldest.age = 80;
  light.mass = 20 * light.height * light.height;
  heavy.mass = 30 * heavy.height * heavy.height;
  anatomy::Person woman = subject();
  woman.sex = anatomy::Sex::Female;
  woman.height = 1.63;
  woman.mass = 60;
  const TorsoModel man = trunkOf(subject()), lightMan = trunkOf(light), heavyMan = trunkOf(heavy),
                   her = trunkOf(woman);
  f["age_wall"] = wallCompliance(trunkOf(old)).total() / wallCompliance(man).total();
  const auto vital = [](const TorsoModel& m) {
    const VitalCapacity v = vitalCapacity(m);
    return v.full - v.empty;
  };
  f["age_vital"] = vital(trunkOf(oldest)) / vital(man);
  f["bmi_frc"] = heavyMan.lungs.rest / lightMan.lungs.rest;
  const auto reserve = [](const TorsoModel& m) { return m.lungs.rest - vitalCapacity(m).empty; };
  f["bmi_erv"] = reserve(heavyMan) / reserve(lightMan);
  f["woman_tidal"] = breathe(settingsOf(woman, "casual"), 12).tidalVolume /
                     breathe(settingsOf(subject(), "casual"), 12).tidalVolume;
  f["woman_mip"] = greatestPressureIn(her).pressure / greatestPressureIn(man).pressure;
  f["woman_mep"] = greatestPressureOut(her).pressure / greatestPressureOut(man).pressure;
}

void measureNumerics(Figures& f) {
  BreathSettings fine = settingsOf(subject(), "panting");
  fine.step = 0.25 * fine.torso.step;
  f["panting_step"] =
      breathe(settingsOf(subject(), "panting"), 8).gutPressure / breathe(fine, 8).gutPressure;
  BreathSettings fast = settingsOf(subject(), "casual");
  fast.knobs.rate = 60;
  f["panting_volume"] =
      breathe(fast, 6).tidalVolume / breathe(settingsOf(subject(), "casual"), 12).tidalVolume;
}

}  // namespace pneuma::reproduce::physiology
