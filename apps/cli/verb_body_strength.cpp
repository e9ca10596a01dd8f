#include <fmt/format.h>

#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/growth.h"
#include "pneuma/core/types.h"
#include "pneuma/muscle/strength.h"
#include "pneuma/render/plot.h"

namespace pneuma::cli {
namespace {

using muscle::StrengthResult;
using muscle::StrengthVerdict;
using nlohmann::ordered_json;

std::string words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string verdictOf(const StrengthVerdict& v) {
  return v.inside ? "inside" : v.torque < v.low ? "weak" : "strong";
}

std::string markOf(const anatomy::StrengthBand& band) {
  return !band.seen ? "recalled" : band.deviation > 0 ? "seen" : "seen, no SD";
}

/// Where people have their peak and what part of its own the body reaches there.
std::string angleOf(const StrengthVerdict& v) {
  if (!v.band->peakAngle) return "";
  return fmt::format("{:.0f}-{:.0f} deg: {:.2f}", radiansToDegrees(v.band->peakAngle->lower),
                     radiansToDegrees(v.band->peakAngle->upper), v.reachedAtAngle);
}

std::string row(const StrengthResult& r) {
  std::string line = fmt::format("{:<24} {:>6.1f} {:>5.0f}", words(r.test->name),
                                 r.verdict ? r.verdict->torque : r.curve.peak,
                                 radiansToDegrees(r.curve.peakAngle));
  if (!r.verdict) return line + "  no figure for such people\n";
  const StrengthVerdict& v = *r.verdict;
  return line + fmt::format("  {:>6.1f} {:>6.1f}-{:<6.1f} {:<11} {:<7} {}\n", v.mean, v.low, v.high,
                            markOf(*v.band), verdictOf(v), angleOf(v));
}

/// How many lie inside, and the names of those that do not.
struct Count {
  int judged = 0, inside = 0;
  std::vector<std::string> weak, strong, angle;
};

Count countOf(const std::vector<StrengthResult>& results) {
  Count c;
  for (const StrengthResult& r : results) {
    if (!r.verdict) continue;
    ++c.judged;
    c.inside += r.verdict->inside;
    const std::string name = words(r.test->name);
    if (!r.verdict->inside) (verdictOf(*r.verdict) == "weak" ? c.weak : c.strong).push_back(name);
    if (!r.verdict->angleInside) c.angle.push_back(name);
  }
  return c;
}

std::string strengthTable(const std::vector<StrengthResult>& results, const Count& count) {
  std::string text = fmt::format("{:<24} {:>6} {:>5}  {:>6} {:^13} {:<11} {:<7} {}\n", "action",
                                 "N m", "peak", "people", "band", "figures", "", "peak angle");
  for (const StrengthResult& r : results) text += row(r);
  text += fmt::format("{} of {} inside people's band\n", count.inside, count.judged);
  const auto list = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) text += fmt::format("{}: {}\n", what, fmt::join(names, ", "));
  };
  list("weak", count.weak);
  list("strong", count.strong);
  list("peak at another angle", count.angle);
  return text;
}

ordered_json entry(const StrengthResult& r) {
  ordered_json j{{"action", r.test->name},
                 {"articulation", r.test->articulation},
                 {"freedom", r.test->freedom},
                 {"peak_nm", r.curve.peak},
                 {"peak_deg", radiansToDegrees(r.curve.peakAngle)}};
  for (std::size_t i = 0; i < r.curve.angle.size(); ++i) {
    j["angle_deg"].push_back(radiansToDegrees(r.curve.angle[i]));
    j["torque_nm"].push_back(r.curve.torque[i]);
    j["passive_nm"].push_back(r.curve.passive[i]);
  }
  for (const muscle::StrengthShare& s : r.curve.shares) j["muscles_nm"][s.muscle] = s.torque;
  if (!r.verdict) return j;
  const StrengthVerdict& v = *r.verdict;
  j["judged_nm"] = v.torque;
  j["people"] = {{"mean_nm", v.mean},      {"low_nm", v.low},      {"high_nm", v.high},
                 {"count", v.band->count}, {"seen", v.band->seen}, {"source", v.band->source},
                 {"verdict", verdictOf(v)}};
  if (v.band->peakAngle) {
    j["people"]["peak_deg"] = {radiansToDegrees(v.band->peakAngle->lower),
                               radiansToDegrees(v.band->peakAngle->upper)};
    j["people"]["part_of_own_peak_there"] = v.reachedAtAngle;
  }
  return j;
}

ordered_json json(const std::vector<StrengthResult>& results, const Count& count) {
  ordered_json j{{"judged", count.judged},
                 {"inside", count.inside},
                 {"weak", count.weak},
                 {"strong", count.strong},
                 {"peak_at_another_angle", count.angle}};
  for (const StrengthResult& r : results) j["actions"].push_back(entry(r));
  return j;
}

/// Torque over angle, people's band behind it.
void addPanel(render::Plot& plot, const StrengthResult& r) {
  std::vector<double> degrees;
  for (const double a : r.curve.angle) degrees.push_back(radiansToDegrees(a));
  render::Panel& panel = plot.panel(words(r.test->name), "angle [deg]", "torque [N m]");
  if (r.verdict) {
    const std::vector<double> low(degrees.size(), r.verdict->low);
    const std::vector<double> high(degrees.size(), r.verdict->high);
    panel.band(degrees, low, high, fmt::format("people ({})", markOf(*r.verdict->band)));
  }
  panel.line(degrees, r.curve.torque, "active");
  panel.line(degrees, r.curve.passive, "passive", {.width = 1, .dash = render::Dash::Dashed});
  if (r.verdict && r.verdict->band->peakAngle)
    for (const double a : {r.verdict->band->peakAngle->lower, r.verdict->band->peakAngle->upper})
      panel.verticalRule(radiansToDegrees(a));
}

void draw(const std::vector<StrengthResult>& results, const anatomy::Person& person,
          const std::string& path) {
  render::Plot plot(fmt::format("Isometric strength: {}, {:.2f} m, {:.0f} kg, {:.0f} years",
                                anatomy::wordFor(person.sex, person.age), person.height,
                                person.mass, person.age));
  plot.columns = std::min<int>(4, static_cast<int>(results.size()));
  plot.panelWidth = 380;
  plot.panelHeight = 260;
  for (const StrengthResult& r : results) addPanel(plot, r);
  plot.write(path);
}

struct StrengthOptions {
  PersonOptions person;
  std::string model = "zajac", only, out;
};

}  // namespace

// Strengths stand beside people's of the same sex and age, for a torque alone tells nobody whether
// a body is weak.
void addBodyStrengthVerb(Program& program, CLI::App* body) {
  auto options = std::make_shared<StrengthOptions>();
  CLI::App* verb = program.addSubVerb(
      body, "strength", "Measure how strong a body is, beside people",
      "pneuma body strength --sex female --height 1.63 --mass 62 --out strength.png");
  verb->add_option("--only", options->only, "Actions whose names begin so: elbow, trunk_flexion")
      ->type_name("NAME");
  verb->add_option("--model", options->model,
                   "Force-length relation: zajac (fibres) or hill (what `move` simulates)")
      ->check(oneOf({"zajac", "hill"}))
      ->capture_default_str();
  verb->add_option("--out", options->out, "Picture of the curves to write (.png or .svg)")
      ->check(outputFile({".png", ".svg"}))
      ->type_name("FILE");
  options->person.addTo(verb);
  verb->callback([&program, options] {
    const anatomy::Body fitted = options->person.load();
    const auto model =
        options->model == "hill" ? muscle::StrengthModel::LinearHill : muscle::StrengthModel::Zajac;
    const auto results = muscle::measureStrength(fitted, model, options->only);
    const Count count = countOf(results);
    ordered_json j = json(results, count);
    std::string text = strengthTable(results, count);
    if (!options->out.empty()) {
      draw(results, fitted.person, options->out);
      j["picture"] = options->out;
      text += fmt::format("wrote {}\n", options->out);
    }
    program.print(j, text);
  });
}

}  // namespace pneuma::cli
