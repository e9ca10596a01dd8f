#include <fmt/format.h>

#include <toml++/toml.h>
#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/breath/torso_anatomy.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/core/error.h"

namespace pneuma::breath {
namespace {

/// Reads fields of one file and names file, line and field when one does not fit.
class Fields {
 public:
  Fields(const toml::table& table, std::string file, std::string subject)
      : table_(table), file_(std::move(file)), subject_(std::move(subject)) {}

  double number(const char* key) const {
    const auto value = table_[key].value<double>();
    if (!value || !std::isfinite(*value)) fail(key, "a number [m]");
    return *value;
  }
  Vec3 point(const char* key) const { return toPoint(key, table_[key].node()); }
  std::vector<Vec3> points(const char* key) const {
    std::vector<Vec3> list;
    for (const toml::node& n : array(key, table_[key].as_array())) list.push_back(toPoint(key, &n));
    return list;
  }
  std::vector<double> numbers(const char* key) const {
    return toNumbers(key, table_[key].as_array());
  }
  std::vector<double> matrix(const char* key, std::size_t rows, std::size_t columns) const {
    std::vector<double> all;
    for (const toml::node& n : array(key, table_[key].as_array())) {
      const std::vector<double> row = toNumbers(key, n.as_array());
      if (row.size() != columns) fail(key, fmt::format("{} numbers in every row", columns));
      all.insert(all.end(), row.begin(), row.end());
    }
    if (all.size() != rows * columns) fail(key, fmt::format("{} rows", rows));
    return all;
  }
  Fields section(const char* key) const {
    const toml::table* t = table_[key].as_table();
    if (t == nullptr) fail(key, "a table");
    return {*t, file_, key};
  }
  const toml::table& table() const { return table_; }
  [[noreturn]] void fail(const char* key, const std::string& expected) const {
    const toml::node* node = table_.get(key);
    const auto& source = node ? node->source() : table_.source();
    throw InputError({.where = {file_, static_cast<int>(source.begin.line),
                                static_cast<int>(source.begin.column)},
                      .subject = subject_,
                      .field = key,
                      .message = node ? "the value cannot be used" : "the field is missing",
                      .expected = expected});
  }

 private:
  const toml::array& array(const char* key, const toml::array* a) const {
    if (a == nullptr || a->empty()) fail(key, "an array");
    return *a;
  }
  std::vector<double> toNumbers(const char* key, const toml::array* a) const {
    std::vector<double> list;
    for (const toml::node& n : array(key, a)) {
      const auto value = n.value<double>();
      if (!value || !std::isfinite(*value)) fail(key, "an array of numbers");
      list.push_back(*value);
    }
    return list;
  }
  Vec3 toPoint(const char* key, const toml::node* node) const {
    const std::vector<double> v = toNumbers(key, node ? node->as_array() : nullptr);
    if (v.size() != 3) fail(key, "a point [x, y, z] in metres");
    return {v[0], v[1], v[2]};
  }

  const toml::table& table_;
  std::string file_, subject_;
};

RadialTable readRadial(const Fields& f, bool byElevation) {
  RadialTable t;
  t.center = byElevation ? f.point("center") : Vec3(0, 0, f.number("axis_z"));
  t.parameters = f.numbers(byElevation ? "elevation_deg" : "height");
  t.azimuths = f.numbers("azimuth_deg");
  for (double& a : t.azimuths) a = degreesToRadians(a);
  if (!byElevation) {
    t.radii = f.matrix("radius", t.parameters.size(), t.azimuths.size());
    return t;
  }
  for (double& e : t.parameters) e = degreesToRadians(e);
  // The file has a row per azimuth; the table a row per elevation.
  const std::size_t rows = t.parameters.size(), columns = t.azimuths.size();
  const std::vector<double> m = f.matrix("radius", columns, rows);
  t.radii.resize(m.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) t.radii[i * columns + j] = m[j * rows + i];
  return t;
}

/// Evens out a table (weights 1 2 1 both ways): what single rays met is not shape, and a finer mesh
/// must not see more of it than a coarse one.
void smoothTable(RadialTable& t, int passes) {
  const std::size_t rows = t.parameters.size(), columns = t.azimuths.size();
  const auto pass = [&](std::size_t rowStep, std::size_t columnStep) {
    const std::vector<double> old = t.radii;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        const std::size_t up =
            std::min(i + rowStep, rows - 1) * columns + std::min(j + columnStep, columns - 1);
        const std::size_t down =
            (i >= rowStep ? i - rowStep : 0) * columns + (j >= columnStep ? j - columnStep : 0);
        t.radii[i * columns + j] = 0.25 * (old[up] + old[down]) + 0.5 * old[i * columns + j];
      }
  };
  for (int k = 0; k < passes; ++k) {
    pass(1, 0);
    pass(0, 1);
  }
}

/// The named points of the left side of a body.
class Landmarks {
 public:
  explicit Landmarks(const anatomy::Body& body) : points_(body, findings_) {
    if (!findings_.empty()) throw InputError(findings_);
  }
  Vec3 point(const std::string& reference) const {
    return points_.find(reference).valueOrThrow().position;
  }
  const std::vector<Vec3>& curve(const std::string& bone, const std::string& name) const {
    const int index = points_.findBone(bone);
    const std::vector<Vec3>* curve = index < 0 ? nullptr : points_.curve(index, name);
    if (curve == nullptr)
      throw InputError({.subject = bone,
                        .field = name,
                        .message = "the breathing torso needs this curve of the body",
                        .expected = "a curve under [landmarks.curves]"});
    return *curve;
  }

 private:
  std::vector<Diagnostic> findings_;
  anatomy::PointTable points_;
};

void readRibs(const Landmarks& marks, const std::vector<double>& radii, TorsoAnatomy& a) {
  for (int i = 1; i <= kRibCount + 2; ++i) {
    const std::string rib = fmt::format("rib_{:02}_l", i);
    const std::string cartilage = fmt::format("costal_cartilage_{:02}_l", i);
    const auto index = static_cast<std::size_t>(i - 1);
    RibAnatomy& r = i <= kRibCount ? a.ribs[index] : a.floatingRibs[index - kRibCount];
    r.centerline = marks.curve(rib, "centreline");
    r.radius = radii[index];
    if (i > kRibCount) continue;
    r.head = marks.point(rib + ":costovertebral");
    r.neckAxis = (marks.point(rib + ":costotransverse") - r.head).normalized();
    r.cartilageOnRib = marks.point(cartilage + ":costochondral");
    if (i <= 7) r.cartilageOnSternum = marks.point(cartilage + ":sternal");
  }
}

void readPoints(const Landmarks& marks, TorsoAnatomy& a) {
  a.jugularNotch = marks.point("manubrium:jugular_notch");
  a.manubriosternal = marks.point("manubrium:manubriosternal");
  a.xiphisternal = marks.point("body_of_sternum:xiphisternal");
  a.xiphoidTip = marks.point("xiphoid_process:tip");
  a.marginJoin = marks.point("costal_cartilage_08_l:junction");
  const auto column = [&](const char* level, int count) {
    for (int i = 1; i <= count; ++i)
      a.vertebrae.push_back(
          marks.point(fmt::format("vertebra_{}{}:body_center", level,
                                  count > 9 ? fmt::format("{:02}", i) : std::to_string(i))));
  };
  column("c", 7);
  column("t", 12);
  column("l", 5);
  a.promontory = marks.point("sacrum:promontory");
  a.sternoclavicular = marks.point("clavicle_l:sternal_end");
  a.acromioclavicular = marks.point("clavicle_l:acromial_end");
  a.shoulder = marks.point("humerus_l:head_center");
  a.elbow = marks.point("humerus_l:elbow_joint");
  a.wrist = marks.point("hand_l:wrist_center");
}

/// The contact points behind the axes are good to a few millimetres only, over a lever of 2 cm:
/// neighbouring ribs share their directions (weights 1 2 1, twice), and the axes are level, as
/// [Wilson87] describes them by their angle to the midplane alone.
void smoothNeckAxes(TorsoAnatomy& a) {
  for (int pass = 0; pass < 2; ++pass) {
    std::array<Vec3, kRibCount> smooth;
    for (std::size_t i = 0; i < kRibCount; ++i) {
      const Vec3& before = a.ribs[i == 0 ? 0 : i - 1].neckAxis;
      const Vec3& after = a.ribs[std::min<std::size_t>(i + 1, kRibCount - 1)].neckAxis;
      smooth[i] = before + 2 * a.ribs[i].neckAxis + after;
      smooth[i].y() = 0;
      smooth[i].normalize();
    }
    for (std::size_t i = 0; i < kRibCount; ++i) a.ribs[i].neckAxis = smooth[i];
  }
}

}  // namespace

TorsoAnatomy readTorsoAnatomy(const anatomy::Body& body, const std::filesystem::path& surfaces) {
  const std::string name = surfaces.filename().string();
  toml::table table;
  try {
    table = toml::parse_file(surfaces.string());
  } catch (const toml::parse_error& e) {
    throw InputError({.where = {name, static_cast<int>(e.source().begin.line),
                                static_cast<int>(e.source().begin.column)},
                      .message = std::string(e.description())});
  }
  const Fields file(table, name, "torso");
  const std::vector<double> radii = file.numbers("rib_radius");
  if (radii.size() != kRibCount + 2) file.fail("rib_radius", "12 numbers [m]");

  TorsoAnatomy a;
  a.name = body.name;
  a.height = body.subject.height;
  const Landmarks marks(body);
  readRibs(marks, radii, a);
  smoothNeckAxes(a);
  readPoints(marks, a);
  const Fields pelvis = file.section("pelvis");
  a.pubicCrest = pelvis.point("pubic_crest");
  a.iliacSpine = pelvis.point("iliac_spine");
  a.iliacTubercle = pelvis.point("iliac_tubercle");
  a.iliacCrest = pelvis.point("iliac_crest");
  a.dome = readRadial(file.section("dome"), true);
  a.wall = readRadial(file.section("wall"), false);
  smoothTable(a.dome, 4);
  smoothTable(a.wall, 2);
  a.trunk = readRadial(file.section("trunk"), false);
  return a;
}

TorsoAnatomy measuredTorso() {
  return readTorsoAnatomy(anatomy::loadBody(dataFile("body/human.toml")).valueOrThrow(),
                          dataFile("body/measured/torso.toml"));
}

}  // namespace pneuma::breath
