#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/check.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/mjcf.h"
#include "pneuma/anatomy/osim.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/anatomy/schema.h"
#include "pneuma/core/progress.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/usda_writer.h"
#include "pneuma/stage/figure_actor.h"
#include "pneuma/stage/skin_maps.h"

namespace pneuma::cli {
namespace {

using nlohmann::ordered_json;

double rounded(double value, double digit) {
  return std::round(value / digit) * digit;
}

/// Distance between two named points [m], 0 when one is missing.
double distance(const anatomy::PointTable& points, const char* a, const char* b) {
  const auto from = points.find(a), to = points.find(b);
  return from && to ? (from->position - to->position).norm() : 0.0;
}

/// The person, the lengths and the lungs: what does not depend on an articulation.
ordered_json personInfo(const anatomy::Body& body) {
  const anatomy::Person& p = body.person;
  const anatomy::LungVolumes lungs = anatomy::lungVolumes(p);
  std::vector<Diagnostic> ignored;
  const anatomy::PointTable points(body, ignored);
  ordered_json j;
  j["name"] = body.name;
  j["sex"] = p.sex == anatomy::Sex::Male ? "male" : "female";
  j["height_m"] = p.height;
  j["mass_kg"] = rounded(anatomy::segmentMass(body), 1e-9);
  j["age_years"] = p.age;
  j["fat_fraction"] = anatomy::bodyFatFraction(p);
  j["frc_l"] = 1e3 * lungs.functionalResidual;
  j["tlc_l"] = 1e3 * lungs.total;
  j["rv_l"] = 1e3 * lungs.residual;
  j["vc_l"] = 1e3 * lungs.vital;
  j["upper_arm_m"] = distance(points, "humerus_l:head_center", "humerus_l:elbow_center");
  j["forearm_m"] = distance(points, "humerus_l:elbow_center", "hand_l:wrist_center");
  j["thigh_m"] = distance(points, "femur_l:head_center", "femur_l:knee_center");
  j["shank_m"] = distance(points, "femur_l:knee_center", "talus_l:ankle_center");
  j["shoulder_width_m"] = distance(points, "humerus_l:head_center", "humerus_r:head_center");
  j["hip_width_m"] = distance(points, "femur_l:head_center", "femur_r:head_center");
  j["bones_described"] = body.bones.size();
  j["muscle_lines_described"] = body.muscles.size();
  return j;
}

void addArticulation(ordered_json& j, const anatomy::BodySummary& s, const std::string& name) {
  j["articulation"] = name;
  j["bones"] = s.bones;
  j["bodies"] = s.bodies;
  j["anatomical_bones"] = s.anatomicalBones;
  j["joints"] = s.joints;
  j["dofs"] = s.dofs;
  j["dofs_head_neck_trunk"] = s.dofsHeadNeckTrunk;
  j["dofs_arms"] = s.dofsArms;
  j["dofs_legs"] = s.dofsLegs;
  j["dofs_passive"] = s.dofsPassive;
  j["muscles"] = s.muscles;
  j["muscles_head_neck"] = s.musclesHeadNeck;
  j["muscles_trunk"] = s.musclesTrunk;
  j["muscles_arms"] = s.musclesArms;
  j["muscles_legs"] = s.musclesLegs;
  j["parts"] = s.parts;
  j["action_lines"] = s.lines;
  j["springs"] = s.springs;
  j["articulation_mass_kg"] = rounded(s.mass, 1e-9);
}

std::string table(const ordered_json& j) {
  std::string out;
  for (const auto& [key, value] : j.items())
    out += fmt::format("{:<24} {}\n", key,
                       value.is_number_float() ? fmt::format("{:.5g}", value.get<double>())
                       : value.is_string()     ? value.get<std::string>()
                                               : value.dump());
  return out;
}

struct InfoOptions {
  PersonOptions person;
  std::string articulation;
};

void addBodyInfo(Program& program, CLI::App* body) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* verb = program.addSubVerb(body, "info", "Count and weigh a body",
                                      "pneuma body info --articulation upper-body --json");
  verb->add_option("--articulation", options->articulation,
                   "torso, figure, upper-body, or one of the body's own");
  options->person.addTo(verb);
  verb->callback([&program, options] {
    const anatomy::Body fitted = options->person.load();
    ordered_json j = personInfo(fitted);
    if (!options->articulation.empty()) {
      const auto compiled = anatomy::compileBody(fitted, options->articulation).valueOrThrow();
      addArticulation(j, anatomy::summarize(fitted, compiled), options->articulation);
    } else {
      for (const anatomy::Articulation& a : fitted.articulations)
        j["articulations"].push_back(a.name);
    }
    program.print(j, table(j));
  });
}

/// All rules beyond those of loading.
std::vector<Diagnostic> checkAll(const anatomy::Body& fitted, int& muscles, Progress& progress) {
  std::vector<Diagnostic> found = anatomy::checkSymmetry(fitted);
  const auto add = [&](const std::vector<Diagnostic>& more) {
    found.insert(found.end(), more.begin(), more.end());
  };
  add(anatomy::checkMasses(fitted));
  add(anatomy::checkAttachments(fitted, anatomy::GeometryCache(), {.progress = &progress}));
  progress.begin("paths of muscles", static_cast<double>(fitted.articulations.size()));
  for (std::size_t k = 0; k < fitted.articulations.size(); ++k) {
    const anatomy::Articulation& a = fitted.articulations[k];
    progress.update(static_cast<double>(k));
    const auto compiled = anatomy::compileBody(fitted, a.name);
    add(compiled.diagnostics());
    if (!compiled) continue;
    muscles += static_cast<int>(compiled->muscles.size());
    add(anatomy::checkMomentArms(*compiled));
  }
  progress.end();
  return found;
}

/// What the rules on attachments looked at, so that nothing is left out unsaid.
struct EndCount {
  int onBone = 0, soft = 0, withoutGeometry = 0;
};

EndCount countEnds(const anatomy::Body& body) {
  std::vector<Diagnostic> ignored;
  const anatomy::PointTable points(body, ignored);
  std::set<std::string> shaped;
  for (const anatomy::Shape& s : body.shapes) shaped.insert(s.bone);
  EndCount count;
  for (const anatomy::Muscle& m : body.muscles)
    for (const anatomy::PointRef* end : {&m.points.front(), &m.points.back()}) {
      const auto p = points.resolve(*end);
      const bool known =
          p && shaped.contains(points.boneNames()[static_cast<std::size_t>(p->bone)]);
      ++(end->soft ? count.soft : known ? count.onBone : count.withoutGeometry);
    }
  return count;
}

// Findings are printed all at once: whoever mends a body file wants the whole list, not the first
// line of it.
void addCheck(Program& program, CLI::App* body) {
  auto options = std::make_shared<PersonOptions>();
  CLI::App* verb = program.addSubVerb(body, "check", "Check every rule of a body file",
                                      "pneuma body check --height 1.62 --sex female");
  options->addTo(verb);
  verb->callback([&program, options] {
    const anatomy::Body fitted = options->load();
    int muscles = 0;
    std::vector<Diagnostic> found = checkAll(fitted, muscles, *program.makeProgress(""));
    ordered_json j;
    int errors = 0;
    std::string text;
    for (const Diagnostic& d : found) {
      errors += d.severity == Severity::Error;
      j["findings"].push_back(d.toString());
      text += d.toString() + "\n";
    }
    j["errors"] = errors;
    j["warnings"] = static_cast<int>(found.size()) - errors;
    for (const anatomy::MassFraction& f : anatomy::massFractions(fitted)) {
      text += fmt::format("{:<14} {:5.2f} % of the mass (de Leva 1996: {:5.2f} +- {:.2f})\n",
                          f.group, 100 * f.fraction, 100 * f.published, 100 * f.deviation);
      std::string key = "mass_percent_" + f.group;
      std::replace(key.begin(), key.end(), ' ', '_');
      j[key] = 100 * f.fraction;
    }
    const EndCount ends = countEnds(fitted);
    j["ends_on_bone"] = ends.onBone;
    j["ends_in_soft_tissue"] = ends.soft;
    j["ends_without_geometry"] = ends.withoutGeometry;
    text += fmt::format(
        "{} muscle ends held to bone surfaces, {} in soft tissue, {} on bones "
        "without a shape (not checked)\n",
        ends.onBone, ends.soft, ends.withoutGeometry);
    text += fmt::format("{} bones, {} articulations, {} muscle paths: {} errors, {} warnings\n",
                        fitted.bones.size(), fitted.articulations.size(), muscles, errors,
                        found.size() - static_cast<std::size_t>(errors));
    if (errors > 0) {
      std::erase_if(found, [](const Diagnostic& d) { return d.severity != Severity::Error; });
      throw InputError(std::move(found));
    }
    program.print(j, text);
  });
}

struct ExportOptions {
  PersonOptions person;
  std::string articulation = "upper-body", format, out;
};

/// The format that was asked for, or the one that the file's name speaks of; never two of them.
std::string exportFormat(const ExportOptions& options) {
  const std::map<std::string, std::string> byEnding = {
      {".glb", "glb"},   {".xml", "mjcf"},  {".mjcf", "mjcf"}, {".osim", "osim"},
      {".toml", "toml"}, {".usda", "usda"}, {".obj", "obj"}};
  const std::string ending = std::filesystem::path(options.out).extension().string();
  const auto named = byEnding.find(ending);
  if (options.format.empty() && named == byEnding.end())
    throw InputError(
        Diagnostic{.subject = "option '--out'",
                   .message = fmt::format("the ending '{}' names no format", ending),
                   .expected = ".glb, .obj, .osim, .toml, .usda or .xml, or --format"});
  if (!options.format.empty() && named != byEnding.end() && named->second != options.format)
    throw InputError(Diagnostic{
        .subject = "option '--out'",
        .message = fmt::format("'{}' does not go with --format {}", options.out, options.format),
        .expected = "one format"});
  return options.format.empty() ? named->second : options.format;
}

// One verb for all formats: the name of the file says which, and what a format cannot hold is
// refused before anything is written.
void addExport(Program& program, CLI::App* body) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* verb =
      program.addSubVerb(body, "export", "Write a body for another program",
                         "pneuma body export --format mjcf --articulation figure --out figure.xml");
  verb->add_option("--articulation", options->articulation, "Which links and joints")
      ->capture_default_str();
  verb->add_option("--format", options->format,
                   "glb (glTF), obj (the skin, painted), usda (USD), mjcf (MuJoCo), osim (OpenSim "
                   "4) or toml "
                   "(one body file)")
      ->check(oneOf({"glb", "mjcf", "obj", "osim", "toml", "usda"}))
      ->default_str("by the name of the file");
  verb->add_option("--out", options->out, "File to write")->required()->type_name("FILE");
  options->person.addTo(verb);
  verb->callback([&program, options] {
    const std::string format = exportFormat(*options);
    const anatomy::Body fitted = options->person.load();
    ordered_json j;
    std::string text;
    if (format == "obj") {
      j["triangles"] =
          stage::writeSkinObj(options->out, options->person.loadAsMeasured(), fitted.person);
    } else if (format == "toml") {
      io::writeFile(options->out, anatomy::bodyText(fitted));
    } else {
      const auto compiled = anatomy::compileBody(fitted, options->articulation).valueOrThrow();
      j["bodies"] = compiled.links.size();
      j["muscles"] = compiled.muscles.size();
      if (format == "mjcf") {
        io::writeFile(options->out, anatomy::toMjcf(compiled));
      } else if (format == "osim") {
        const anatomy::OsimModel model = anatomy::toOsim(compiled);
        io::writeFile(options->out, model.text);
        j["dropped"] = model.dropped;
        for (const std::string& what : model.dropped) text += "not in the format: " + what + "\n";
      } else if (format == "usda") {
        io::writeUsda(options->out, stage::restScene(fitted, compiled));
      } else {
        io::writeGlb(options->out, stage::restScene(fitted, compiled));
      }
    }
    j["file"] = options->out;
    program.print(j, text + fmt::format("wrote {}\n", options->out));
  });
}

void addReference(Program& program, CLI::App* body) {
  CLI::App* verb = program.addSubVerb(body, "reference", "Print every field of a body file",
                                      "pneuma body reference > docs/body-reference.md");
  verb->callback([&program] {
    ordered_json j;
    for (const anatomy::SectionSchema& section : anatomy::bodySchema())
      for (const anatomy::FieldSchema& f : section.fields)
        j[section.path][f.name] = {{"type", f.type},         {"unit", f.unit},
                                   {"range", f.range},       {"default", f.initial},
                                   {"required", f.required}, {"meaning", f.meaning}};
    program.print(j, anatomy::bodyReference());
  });
}

}  // namespace

void addBodyVerb(Program& program) {
  CLI::App* body = program.addVerb("body", "Describe, check and export the body", "");
  body->require_subcommand(1);
  addBodyInfo(program, body);
  addCheck(program, body);
  addExport(program, body);
  addReference(program, body);
  addBodyStrengthVerb(program, body);
  addBodyMeasureVerb(program, body);
  addBodyGeometryVerbs(program, body);
  addBodyCompileVerb(program, body);
  addBodyConvertVerb(program, body);
}

}  // namespace pneuma::cli
