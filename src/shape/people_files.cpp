#include "pneuma/shape/people_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "pneuma/core/error.h"
#include "pneuma/io/file.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/io/point_cache.h"
#include "pneuma/io/signal.h"

namespace pneuma::shape {
namespace {

using nlohmann::json;

json readJson(const std::filesystem::path& path) {
  const std::string text = io::readFile(path).valueOrThrow();
  const json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded())
    throw InputError(io::fileError(path.string(), "is not JSON", "a file of `pneuma population`"));
  return parsed;
}

/// A member of an object, with the file in the message where it is missing or of another kind.
template <class T>
T member(const json& object, const char* key, const std::filesystem::path& file) {
  try {
    return object.at(key).get<T>();
  } catch (const json::exception&) {
    throw InputError(io::fileError(file.string(), fmt::format("has no usable field '{}'", key),
                                   "a file of `pneuma population`"));
  }
}

io::PointCache readSkins(const std::filesystem::path& path, std::size_t vertices,
                         std::size_t frames) {
  io::PointCache cache = io::readPointCache(path).valueOrThrow();
  if (cache.pointCount != vertices || cache.frames.size() != frames)
    throw InputError(io::fileError(
        path.string(),
        fmt::format("holds {} frames of {} points", cache.frames.size(), cache.pointCount),
        fmt::format("{} frames of {} points", frames, vertices)));
  return cache;
}

}  // namespace

PeopleFolder::PeopleFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
  readManifest();
  template_ = io::readMesh(folder_ / "template.obj");
  readVertices();
}

void PeopleFolder::readManifest() {
  const std::filesystem::path file = folder_ / "manifest.json";
  const json j = readJson(file);
  if (const int schema = member<int>(j, "schema", file); schema != kPeopleSchema)
    throw InputError(io::fileError(file.string(), fmt::format("has schema {}", schema),
                                   fmt::format("schema {}", kPeopleSchema)));
  topologyId_ = member<std::string>(j, "topology", file);
  dataHash_ = member<std::string>(j, "data_hash", file);
  for (const json& t : member<json>(j, "trials", file))
    trials_.push_back(
        {member<std::string>(t, "name", file),
         member<std::string>(t, "use", file) == "unseen" ? TrialUse::Unseen : TrialUse::Learn});
  std::vector<std::string> missing;
  for (const json& p : member<json>(j, "people", file)) {
    PersonEntry e{.name = member<std::string>(p, "name", file),
                  .female = member<std::string>(p, "sex", file) == "female",
                  .heldOut = member<bool>(p, "held_out", file),
                  .height = member<double>(p, "height_m", file),
                  .mass = member<double>(p, "mass_kg", file)};
    if (!member<bool>(p, "done", file)) missing.push_back(e.name);
    people_.push_back(std::move(e));
  }
  if (!missing.empty() || people_.empty() || trials_.empty())
    throw InputError(io::fileError(
        file.string(), fmt::format("is not finished: missing {}", fmt::join(missing, ", ")),
        "the same `pneuma population` command again, which goes on where it stopped"));
}

void PeopleFolder::readVertices() {
  const std::filesystem::path file = folder_ / "vertices.csv";
  const std::string text = io::readFile(file).valueOrThrow();
  std::size_t begin = text.find('\n');  // below the header
  const auto count = static_cast<std::int32_t>(template_.vertexCount());
  while (begin != std::string::npos && begin + 1 < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin + 1), text.size());
    const std::string line = text.substr(begin + 1, end - begin - 1);
    const std::size_t comma = line.find(',');
    parts_.push_back(line.substr(0, comma));
    mirror_.push_back(comma == std::string::npos ? -1 : std::atoi(line.c_str() + comma + 1));
    if (mirror_.back() < 0 || mirror_.back() >= count)
      throw InputError(io::lineError(file.string(), static_cast<int>(parts_.size()) + 1,
                                     "is no label", "part,mirror"));
    begin = end;
  }
  if (parts_.size() != template_.vertexCount())
    throw InputError(io::fileError(file.string(), fmt::format("labels {} vertices", parts_.size()),
                                   fmt::format("{}, as template.obj", template_.vertexCount())));
}

PersonTrial PeopleFolder::readTrial(const std::filesystem::path& folder, const Trial& trial) const {
  constexpr double kMillilitre = 1e-6, kLitre = 1e-3;  // [m^3]
  PersonTrial t{.name = trial.name, .use = trial.use, .samples = {}, .frames = {}};
  const io::Signals s = io::readCsvSignals(folder / (trial.name + ".csv")).valueOrThrow();
  const auto& lungs = s.channel("lung_volume").values;
  const auto& flow = s.channel("flow").values;
  const auto& cage = s.channel("rib_cage").values;
  const auto& abdomen = s.channel("abdomen").values;
  for (std::size_t i = 0; i < s.sampleCount(); ++i)
    t.samples.push_back({.time = s.times[i],
                         .lungVolume = lungs[i] * kMillilitre,
                         .flow = flow[i] * kLitre,
                         .ribCage = cage[i] * kMillilitre,
                         .abdomen = abdomen[i] * kMillilitre});
  t.frames =
      readSkins(folder / (trial.name + ".pc2"), template_.vertexCount(), s.sampleCount()).frames;
  return t;
}

PersonData PeopleFolder::read(std::size_t person) const {
  PersonData data{.entry = people_.at(person), .rest = {}, .trials = {}};
  const std::filesystem::path folder = folder_ / "people" / data.entry.name;
  data.rest = readSkins(folder / "rest.pc2", template_.vertexCount(), 1).frames.front();
  for (const Trial& t : trials_) data.trials.push_back(readTrial(folder, t));
  return data;
}

}  // namespace pneuma::shape
