#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/parallel.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/io/table.h"
#include "pneuma/stage/population.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::stage {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// Goes on with what is there, and says nothing when there is nothing.
io::RunFolder openOrGoOn(const fs::path& folder, const io::RunDescription& description) {
  return io::RunFolder::open(folder, description, fs::exists(folder / "run.toml"));
}

fs::path unitFolder(const fs::path& folder, const Subject& subject) {
  return folder / "people" / subject.name;
}

ordered_json trialsJson(const std::vector<BreathTrial>& trials) {
  ordered_json list = ordered_json::array();
  for (const BreathTrial& t : trials)
    list.push_back({{"name", t.name},
                    {"style", t.style},
                    {"chest_share", t.chestShare},
                    {"effort", t.effort},
                    {"posture", breath::toString(t.posture)},
                    {"use", t.use == shape::TrialUse::Learn ? "learn" : "unseen"}});
  return list;
}

/// Units of the columns of a trial, for who reads the files without us.
ordered_json schemaJson() {
  return {{"TRIAL.pc2", "point cache 2: little-endian, header 'POINTCACHE2', 32-bit floats [m]"},
          {"TRIAL.csv",
           {{"time", "s"},
            {"lung_volume", "mL of gas above rest"},
            {"flow", "L/s of gas inwards"},
            {"rib_cage", "mL of the trunk above the costal margin, above rest"},
            {"abdomen", "mL of the trunk below it, above rest"}}},
          {"vertices.csv", "part of the body, index of the mirrored vertex; in the order of OBJ"},
          {"axes", "x left, y up, z to the front; m"}};
}

/// The columns of person.json that are numbers, as one table.
io::Table peopleTable(const ordered_json& people) {
  io::Table table;
  std::vector<std::string> names, sexes;
  for (const ordered_json& p : people) {
    names.push_back(p.at("name"));
    sexes.push_back(p.at("sex"));
  }
  table.addTextColumn("name", names);
  table.addTextColumn("sex", sexes);
  for (const auto& [key, first] : people.front().items()) {
    if (!first.is_number() && !first.is_boolean()) continue;
    std::vector<double> values;
    for (const ordered_json& p : people)
      values.push_back(p.at(key).is_boolean() ? static_cast<double>(p.at(key).get<bool>())
                                              : p.at(key).get<double>());
    table.addColumn(key, "", std::move(values));
  }
  return table;
}

}  // namespace

PopulationRun::PopulationRun(PopulationRequest request,
                             std::shared_ptr<const anatomy::Body> measured, std::string command)
    : request_(std::move(request)),
      measured_(std::move(measured)),
      command_(std::move(command)),
      people_(samplePeople(request_)) {}

io::RunDescription PopulationRun::description(std::string verb) const {
  io::RunDescription d;
  d.command = command_;
  d.verb = std::move(verb);
  d.bodyHash = bodyHash(*measured_);
  d.seed = request_.seed;
  d.settings = io::settingsJson(request_);
  return d;
}

void PopulationRun::runUnit(std::size_t unit, const fs::path& folder) const {
  if (unit >= people_.size())
    throw InputError(Diagnostic{.field = "unit",
                                .message = fmt::format("there is no unit {}", unit),
                                .expected = fmt::format("0 .. {}", people_.size() - 1)});
  io::RunFolder own = openOrGoOn(unitFolder(folder, people_[unit]), description("population unit"));
  if (own.alreadyComplete()) return;
  io::removeStaleTemporaries(own.path());
  runPersonUnit(request_, people_[unit], measured_, own);
  own.finish();
}

void PopulationRun::runAll(const fs::path& folder, Progress& progress) const {
  io::RunFolder whole = openOrGoOn(folder, description("population"));
  // The subject's template is meshed once, before many ask for it.
  anatomy::makeSkinTopology(anatomy::skinModelOf(*measured_), *measured_, 0,
                            anatomy::GeometryCache());
  std::mutex mutex;
  double done = 0;
  std::vector<std::string> failures;
  progress.begin("people", static_cast<double>(people_.size()));
  parallelFor(people_.size(), 1, [&](std::size_t begin, std::size_t) {
    std::string failure;
    try {
      runUnit(begin, folder);
    } catch (const SimulationError& e) {
      failure = fmt::format("{}: {}", people_[begin].name, e.what());
    }
    const std::scoped_lock lock(mutex);
    if (!failure.empty()) failures.push_back(failure);
    progress.update(++done);
  });
  progress.end();
  std::ranges::sort(failures);
  if (!failures.empty())
    throw SimulationError(0, "population", fmt::format("{}", fmt::join(failures, "; ")));
  merge(folder);
  whole.finish();
}

void PopulationRun::writeTemplate(const fs::path& folder, ordered_json& manifest) const {
  const anatomy::SkinSurface surface =
      anatomy::makeSkinSurface(anatomy::skinModelOf(*measured_), *measured_, measured_->subject,
                               {.triangles = anatomy::skinTriangles(0)}, anatomy::GeometryCache());
  io::writeMesh(folder / "template.obj", surface.mesh);
  std::string labels = "part,mirror\n";
  for (std::size_t v = 0; v < surface.parts.size(); ++v)
    labels += fmt::format("{},{}\n", anatomy::name(surface.parts[v]), surface.topology->mirror[v]);
  io::writeFile(folder / "vertices.csv", labels);
  manifest["topology"] = fmt::format("{:016x}", surface.topology->id);
  manifest["vertices"] = surface.mesh.vertexCount();
}

// Reads folders and nothing else, so it may be run at any time, by any process, also while units
// are still under way.
ordered_json PopulationRun::merge(const fs::path& folder) const {
  ordered_json people = ordered_json::array();
  Hash64 hash;
  bool complete = true;
  for (const Subject& s : people_) {
    const fs::path file = unitFolder(folder, s) / "person.json";
    const bool done = fs::exists(file);
    ordered_json p =
        done ? ordered_json::parse(io::readFile(file).valueOrThrow())
             : ordered_json{{"name", s.name},
                            {"sex", s.person.sex == anatomy::Sex::Female ? "female" : "male"},
                            {"height_m", s.person.height},
                            {"mass_kg", s.person.mass},
                            {"held_out", s.heldOut}};
    p["done"] = done;
    complete = complete && done;
    if (done) hash.text(p.at("hash").get<std::string>());
    people.push_back(std::move(p));
  }
  ordered_json manifest{{"schema", shape::kPeopleSchema}, {"complete", complete}};
  manifest["body"] = bodyHash(*measured_);
  manifest["settings"] = io::settingsJson(request_);
  manifest["data_hash"] = hash.hex();
  writeTemplate(folder, manifest);
  manifest["files"] = schemaJson();
  manifest["trials"] = trialsJson(trialSet(request_.trials));
  if (complete) io::writeCsv(folder / "people.csv", peopleTable(people));
  manifest["people"] = std::move(people);
  io::writeJson(folder / "manifest.json", manifest);
  return manifest;
}

}  // namespace pneuma::stage
