#include "reproduce/physiology/measured.h"

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/stage/breath_request.h"
#include "reproduce/physiology/subject.h"

namespace pneuma::reproduce::physiology {

using namespace pneuma::breath;

std::shared_ptr<const anatomy::Body> subjectBody() {
  static const auto body = std::make_shared<const anatomy::Body>(
      anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow());
  return body;
}

anatomy::Person subject() {
  return anatomy::Person{};
}

TorsoModel trunkOf(const anatomy::Person& person) {
  return makeTorsoModel(readTorsoAnatomy(anatomy::fitToPerson(*subjectBody(), person)),
                        makeTorsoConfig("default"));
}

BreathSettings settingsOf(const anatomy::Person& person, const char* style) {
  BreathSettings s;
  s.body = subjectBody();
  s.person = person;
  s.torso = makeTorsoConfig("default");
  s.style = stage::dataStyle(style);
  return s;
}

Contractions inspirationOf(const char* style) {
  return stage::dataStyle(style).inspire;
}

void measureRelaxed(Measured& out) {
  const TorsoModel man = trunkOf(subject());
  out.lungs = man.lungs;
  Figures& f = out.figures;
  const double perCm = kMillilitre / kCmH2O;
  const WallCompliance wall = wallCompliance(man);
  f["wall_compliance"] = wall.total() / perCm;
  f["rib_cage_compliance"] = wall.ribCage / perCm;
  f["abdomen_compliance"] = wall.abdomen / perCm;
  f["relaxation_slope"] = wall.ribCage / wall.abdomen;
  const Lungs& l = man.lungs;
  constexpr double kQuiet = 0.5e-3;  // [m^3]
  f["lung_compliance"] = kQuiet / (l.recoil(l.rest + kQuiet) - l.recoil(l.rest)) / perCm;
  f["lung_recoil_tlc"] = l.recoil(l.total) / kCmH2O;
  f["lung_recoil_frc"] = l.recoil(l.rest) / kCmH2O;
  f["wall_recoil_tlc"] = relaxedAt(man, 0.98 * l.total).wall / kCmH2O;
  f["wall_recoil_rv"] = relaxedAt(man, 1.02 * l.residual).wall / kCmH2O;
  f["sternum_push"] = sternumPush(man);
  std::vector<double> pressures;
  for (const double p : {-20, -15, -10, -6, -3, 0, 3, 6, 10, 15, 20, 30, 40})
    pressures.push_back(p * kCmH2O);
  out.relaxation = relaxationCurve(man, pressures);
  // The relaxed wall's zero, linear between the points around it.
  for (std::size_t i = 0; i + 1 < out.relaxation.size(); ++i) {
    const RelaxationPoint &a = out.relaxation[i], &b = out.relaxation[i + 1];
    if (a.wall > 0 || b.wall <= 0) continue;
    const double gas = a.gas - a.wall * (b.gas - a.gas) / (b.wall - a.wall);
    f["wall_zero"] = 100 * (gas - l.residual) / (l.total - l.residual);
  }
}

void measureForced(Measured& out) {
  out.forced = forcedExpiration(trunkOf(subject()));
  Figures& f = out.figures;
  f["peak_flow"] = out.forced.peak / kLitre;
  f["fev1_fvc"] = out.forced.firstSecond / out.forced.vital;
  f["fef50"] = out.forced.at50 / kLitre;
  f["fef75"] = out.forced.at75 / kLitre;
}

Measured measureAll(Progress& progress) {
  Measured out;
  int done = 0;
  const auto next = [&] { progress.update(++done); };
  measureRelaxed(out), next();
  measureQuiet(out.figures), next();
  measureFull(out.figures), next();
  measureForced(out), next();
  measurePostures(out.figures), next();
  measurePersons(out.figures), next();
  measureNumerics(out.figures), next();
  return out;
}

}  // namespace pneuma::reproduce::physiology
