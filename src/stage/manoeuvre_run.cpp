#include "pneuma/stage/manoeuvre_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pneuma/anatomy/growth.h"
#include "pneuma/breath/manoeuvre.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/stage/breath_request.h"
#include "pneuma/stage/units.h"

namespace pneuma::stage {
namespace {

using breath::kCmH2O;
using breath::Lungs;
using breath::TorsoModel;

constexpr double kPerCm = kMillilitre / kCmH2O;  // of a compliance [m^3/Pa]

/// Whether ranges of the man of 30 years, 1.75 m, 73 kg are a person's own: who hardly differs from
/// him. A woman or an old man is not outside for being neither.
bool isMeasuredMan(const anatomy::Person& p) {
  const anatomy::Person man;
  constexpr double kYears = 5, kHeight = 0.05, kMass = 8;  // [m], [kg]
  return p.sex == man.sex && std::abs(p.age - man.age) <= kYears &&
         std::abs(p.height - man.height) <= kHeight && std::abs(p.mass - man.mass) <= kMass;
}

/// Fills a run; figures of the table bring their words and range along.
class Sheet {
 public:
  explicit Sheet(ManoeuvreRun& run)
      : run_(run), people_(breath::readHumanFigures(dataFile("breath/physiology.toml"))) {}

  void figure(const std::string& id, double value) {
    const breath::HumanFigure* known = find(id);
    if (known == nullptr)
      throw InputError(Diagnostic{.where = {.file = dataFile("breath/physiology.toml").string()},
                                  .field = "id",
                                  .message = fmt::format("there is no figure '{}'", id)});
    run_.figures.push_back({id, known->text, known->unit, value, std::nullopt, std::nullopt});
    // Ranges are those of grown people, in the posture in which they were measured.
    if (run_.posture == breath::Posture::Supine) known = find("supine_" + id);
    if (known == nullptr || anatomy::isChild(run_.person)) return;
    run_.figures.back().people = *known;
    if (known->relative || isMeasuredMan(run_.person))
      run_.figures.back().inside = known->holds(value);
  }
  /// Without a range of people.
  void plain(const char* id, const char* text, const char* unit, double value) {
    run_.figures.push_back({id, text, unit, value, std::nullopt, std::nullopt});
  }
  void column(const char* name, const char* unit, const std::vector<double>& values, double inSi) {
    std::vector<double> scaled;
    for (const double v : values) scaled.push_back(v / inSi);
    run_.table.addColumn(name, unit, std::move(scaled));
  }
  void trace(const breath::Examination::Trace& t) {
    column("time", "s", t.time, 1);
    column("lung_volume", "L", t.gas, kLitre);
    column("flow_in", "L/s", t.flow, kLitre);
    column("alveolar_pressure", "cmH2O", t.alveolar, kCmH2O);
    column("pleural_pressure", "cmH2O", t.pleural, kCmH2O);
    column("abdominal_pressure", "cmH2O", t.abdominal, kCmH2O);
  }
  io::Table& table() { return run_.table; }

 private:
  const breath::HumanFigure* find(const std::string& id) const {
    const auto at = std::find_if(people_.begin(), people_.end(),
                                 [&](const breath::HumanFigure& h) { return h.id == id; });
    return at == people_.end() ? nullptr : &*at;
  }

  ManoeuvreRun& run_;
  std::vector<breath::HumanFigure> people_;
};

/// Part of the vital capacity that is in the lungs [%].
double vitalPercent(const Lungs& l, double gas) {
  return 100 * (gas - l.residual) / (l.total - l.residual);
}

/// The volume at which the relaxed wall does not recoil, linear between the points around it [% of
/// the vital capacity]; none when the curve does not reach it.
std::optional<double> wallZero(const Lungs& l, const std::vector<breath::RelaxationPoint>& curve) {
  for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
    const breath::RelaxationPoint &a = curve[i], &b = curve[i + 1];
    if (a.wall > 0 || b.wall <= 0) continue;
    return vitalPercent(l, a.gas - a.wall * (b.gas - a.gas) / (b.wall - a.wall));
  }
  return std::nullopt;
}

void relaxationFigures(const TorsoModel& trunk, Sheet& sheet) {
  // The ends of the curve are steep: people's points stand just inside them.
  constexpr double kNearlyFull = 0.98, kNearlyEmpty = 1.02;
  constexpr double kQuiet = 0.5e-3;  // a breath [m^3]
  const Lungs& l = trunk.lungs;
  const breath::WallCompliance wall = breath::wallCompliance(trunk);
  sheet.figure("wall_compliance", wall.total() / kPerCm);
  sheet.figure("rib_cage_compliance", wall.ribCage / kPerCm);
  sheet.figure("abdomen_compliance", wall.abdomen / kPerCm);
  sheet.figure("relaxation_slope", wall.ribCage / wall.abdomen);
  sheet.figure("lung_compliance",
               breath::dynamicLungCompliance(trunk, dataStyle("casual")) / kPerCm);
  sheet.plain("lung_compliance_static", "lung, compliance of half a litre, held", "mL/cmH2O",
              kQuiet / (l.recoil(l.rest + kQuiet) - l.recoil(l.rest)) / kPerCm);
  sheet.figure("lung_recoil_tlc", l.recoil(l.total) / kCmH2O);
  sheet.figure("lung_recoil_frc", l.recoil(l.rest) / kCmH2O);
  sheet.figure("wall_recoil_tlc", breath::relaxedAt(trunk, kNearlyFull * l.total).wall / kCmH2O);
  sheet.figure("wall_recoil_rv", breath::relaxedAt(trunk, kNearlyEmpty * l.residual).wall / kCmH2O);
  sheet.figure("sternum_push", breath::sternumPush(trunk));
}

/// A relaxed trunk, blown up and sucked empty at the mouth.
void relaxation(const TorsoModel& trunk, Sheet& sheet) {
  std::vector<double> pressures;
  for (const double p : {-20, -15, -10, -6, -3, 0, 3, 6, 10, 15, 20, 30, 40})
    pressures.push_back(p * kCmH2O);
  const std::vector<breath::RelaxationPoint> curve = breath::relaxationCurve(trunk, pressures);
  relaxationFigures(trunk, sheet);
  if (const auto zero = wallZero(trunk.lungs, curve)) sheet.figure("wall_zero", *zero);
  io::Table& t = sheet.table();
  for (const auto& [name, unit] : {std::pair{"system_recoil", "cmH2O"},
                                   {"lung_recoil", "cmH2O"},
                                   {"wall_recoil", "cmH2O"},
                                   {"lung_volume", "L"},
                                   {"vital_capacity", "%"},
                                   {"rib_cage_volume", "mL"},
                                   {"abdomen_volume", "mL"},
                                   {"pleural_pressure", "cmH2O"}})
    t.addColumn(name, unit);
  for (const breath::RelaxationPoint& p : curve)
    t.appendRow({p.mouth / kCmH2O, (p.mouth - p.wall) / kCmH2O, p.wall / kCmH2O, p.gas / kLitre,
                 vitalPercent(trunk.lungs, p.gas), p.ribCage / kMillilitre, p.abdomen / kMillilitre,
                 p.pleural / kCmH2O});
}

/// Slowly full, then slowly empty.
void vitalCapacity(const TorsoModel& trunk, Sheet& sheet) {
  const breath::VitalCapacity v = breath::vitalCapacity(trunk);
  const Lungs& l = trunk.lungs;
  sheet.plain("vital_capacity", "vital capacity", "L", (v.full - v.empty) / kLitre);
  sheet.plain("vital_capacity_predicted", "vital capacity, predicted (GLI 2021)", "L",
              (l.total - l.residual) / kLitre);
  sheet.plain("inspiratory_capacity", "inspiratory capacity", "L", (v.full - l.rest) / kLitre);
  sheet.plain("expiratory_reserve", "expiratory reserve", "L", (l.rest - v.empty) / kLitre);
  sheet.figure("tlc_reached", 100 * v.full / l.total);
  sheet.figure("rv_reached", 100 * v.empty / l.residual);
  sheet.figure("rib_3_pump_tlc", radiansToDegrees(v.atFull.pump[2]));
  sheet.figure("rib_3_bucket_tlc", radiansToDegrees(v.atFull.bucket[2]));
  sheet.figure("rib_7_pump_tlc", radiansToDegrees(v.atFull.pump[6]));
  sheet.figure("rib_7_bucket_tlc", radiansToDegrees(v.atFull.bucket[6]));
  sheet.figure("dome_deep", v.atFull.dome / kMillimetre);
  sheet.figure("chest_girth_full", (v.atFull.girth[0] - v.atEmpty.girth[0]) / kMillimetre);
  sheet.figure("greatest_load", 100 * v.work.greatestLoad);
  sheet.trace(v.trace);
}

/// From full to empty lungs as fast as possible.
void forced(const TorsoModel& trunk, Sheet& sheet) {
  const breath::ForcedExpiration f = breath::forcedExpiration(trunk);
  sheet.plain("fvc", "forced vital capacity, FVC", "L", f.vital / kLitre);
  sheet.plain("fev1", "out in the first second, FEV1", "L", f.firstSecond / kLitre);
  sheet.figure("fev1_fvc", f.firstSecond / f.vital);
  sheet.figure("peak_flow", f.peak / kLitre);
  sheet.plain("fef25", "forced expiration, flow when a quarter is out", "L/s", f.at25 / kLitre);
  sheet.figure("fef50", f.at50 / kLitre);
  sheet.figure("fef75", f.at75 / kLitre);
  sheet.column("time", "s", f.time, 1);
  sheet.column("volume_out", "L", f.volume, kLitre);
  sheet.column("flow_out", "L/s", f.flow, kLitre);
}

void greatestPressure(const char* id, const breath::GreatestPressure& g, Sheet& sheet) {
  sheet.figure(id, g.pressure / kCmH2O);
  // The volume when the airway is shut: the last step before it.
  const auto& time = g.trace.time;
  const auto after = std::upper_bound(time.begin(), time.end(), g.shut) - time.begin();
  const auto last = static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, after) - 1);
  sheet.plain("volume_shut", "gas in the lungs when the airway is shut", "L",
              g.trace.gas[last] / kLitre);
  sheet.trace(g.trace);
}
void pressureIn(const TorsoModel& trunk, Sheet& sheet) {
  greatestPressure("mip", breath::greatestPressureIn(trunk), sheet);
}
void pressureOut(const TorsoModel& trunk, Sheet& sheet) {
  greatestPressure("mep", breath::greatestPressureOut(trunk), sheet);
}

/// Volume moved between belly and chest with the airway shut.
void isovolume(const TorsoModel& trunk, Sheet& sheet) {
  const breath::Isovolume v = breath::isovolume(trunk);
  sheet.figure("isovolume_slope", v.slope);
  sheet.plain("isovolume_shifted", "volume moved between belly and chest", "mL",
              v.shifted / kMillilitre);
  io::Table& t = sheet.table();
  for (const auto& [name, unit] : {std::pair{"time", "s"},
                                   {"rib_cage_volume", "mL"},
                                   {"abdomen_volume", "mL"},
                                   {"pleural_pressure", "cmH2O"},
                                   {"abdominal_pressure", "cmH2O"}})
    t.addColumn(name, unit);
  for (const breath::CompartmentPoint& p : v.points)
    t.appendRow({p.time, p.ribCage / kMillilitre, p.abdomen / kMillilitre, p.pleural / kCmH2O,
                 p.abdominal / kCmH2O});
}

/// As much air as one can move in twelve seconds.
void ventilation(const TorsoModel& trunk, Sheet& sheet) {
  constexpr double kMinute = 60;
  const breath::Ventilation v = breath::maximalVentilation(trunk);
  sheet.figure("mvv", kMinute * v.perMinute / kLitre);
  sheet.plain("mvv_tidal", "maximal ventilation, mean breath", "L", v.tidal / kLitre);
  sheet.plain("mvv_rate", "maximal ventilation, breaths", "1/min", kMinute * v.rate);
  sheet.trace(v.trace);
}

/// A short, sharp effort at rest.
void sniff(const TorsoModel& trunk, Sheet& sheet) {
  const breath::Sniff s = breath::sniff(trunk);
  sheet.figure("sniff_pdi", s.transdiaphragmatic / kCmH2O);
  sheet.figure("sniff_pressure", s.alveolar / kCmH2O);
  sheet.trace(s.trace);
}

struct Manoeuvre {
  const char* name;
  void (*run)(const TorsoModel&, Sheet&);
};
constexpr std::array<Manoeuvre, 8> kManoeuvres{{{"relaxation", relaxation},
                                                {"vital-capacity", vitalCapacity},
                                                {"forced", forced},
                                                {"mip", pressureIn},
                                                {"mep", pressureOut},
                                                {"isovolume", isovolume},
                                                {"mvv", ventilation},
                                                {"sniff", sniff}}};

const Manoeuvre& find(std::string_view name) {
  for (const Manoeuvre& m : kManoeuvres)
    if (m.name == name) return m;
  const std::vector<std::string> names = manoeuvreNames();
  throw InputError(Diagnostic{.field = "manoeuvre",
                              .message = fmt::format("unknown manoeuvre '{}'", name),
                              .nearest = nearestName(name, names)});
}

}  // namespace

std::vector<std::string> manoeuvreNames() {
  std::vector<std::string> names;
  for (const Manoeuvre& m : kManoeuvres) names.emplace_back(m.name);
  return names;
}

ManoeuvreRun runManoeuvre(std::string_view name, const TorsoModel& trunk) {
  const Manoeuvre& manoeuvre = find(name);
  if (!trunk.lungs.present())
    throw InputError(
        Diagnostic{.field = "preset",
                   .message = fmt::format("'{}' has no lungs to examine", trunk.config.preset),
                   .expected = "default"});
  ManoeuvreRun run{.manoeuvre = std::string(name),
                   .person = trunk.anatomy.person,
                   .lungs = trunk.lungs,
                   .posture = trunk.config.posture,
                   .figures = {},
                   .table = {}};
  Sheet sheet(run);
  manoeuvre.run(trunk, sheet);
  for (const ManoeuvreFigure& f : run.figures)
    if (!std::isfinite(f.value))
      throw SimulationError(0, "manoeuvre " + run.manoeuvre, f.id + " is not finite");
  return run;
}

double ManoeuvreRun::value(std::string_view id) const {
  std::vector<std::string> ids;
  for (const ManoeuvreFigure& f : figures) {
    if (f.id == id) return f.value;
    ids.push_back(f.id);
  }
  throw InputError(Diagnostic{.field = "id",
                              .message = fmt::format("'{}' has no figure '{}'", manoeuvre, id),
                              .nearest = nearestName(id, ids)});
}

}  // namespace pneuma::stage
