#include <fmt/format.h>

#include <toml++/toml.h>
#include <cmath>

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

void readRibs(const Fields& file, const std::string& name, TorsoAnatomy& a) {
  const toml::array* list = file.table()["rib"].as_array();
  if (list == nullptr || list->size() != kRibCount + 2) file.fail("rib", "12 tables [[rib]]");
  for (int i = 0; i < kRibCount + 2; ++i) {
    const toml::table* t = (*list)[static_cast<std::size_t>(i)].as_table();
    if (t == nullptr) file.fail("rib", "12 tables [[rib]]");
    const Fields f(*t, name, fmt::format("rib {}", i + 1));
    RibAnatomy& r = i < kRibCount ? a.ribs[static_cast<std::size_t>(i)]
                                  : a.floatingRibs[static_cast<std::size_t>(i - kRibCount)];
    r.centerline = f.points("centerline");
    r.radius = f.number("radius");
    if (i >= kRibCount) continue;
    r.head = f.point("head");
    r.neckAxis = (f.point("tubercle") - r.head).normalized();
    r.cartilageOnRib = f.point("cartilage_rib");
    if (i < 7) r.cartilageOnSternum = f.point("cartilage_sternum");
  }
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

TorsoAnatomy readTorsoAnatomy(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  toml::table table;
  try {
    table = toml::parse_file(path.string());
  } catch (const toml::parse_error& e) {
    throw InputError({.where = {name, static_cast<int>(e.source().begin.line),
                                static_cast<int>(e.source().begin.column)},
                      .message = std::string(e.description())});
  }
  const Fields file(table, name, "torso");
  TorsoAnatomy a;
  a.name = path.stem().string();
  a.height = file.number("height");
  readRibs(file, name, a);
  smoothNeckAxes(a);
  const Fields sternum = file.section("sternum");
  a.jugularNotch = sternum.point("jugular_notch");
  a.manubriosternal = sternum.point("manubriosternal_joint");
  a.xiphisternal = sternum.point("xiphisternal_joint");
  a.xiphoidTip = sternum.point("xiphoid_tip");
  a.marginJoin = sternum.point("margin_join");
  a.vertebrae = file.section("spine").points("center");
  if (a.vertebrae.size() != 24) file.section("spine").fail("center", "24 points, C1 .. L5");
  const Fields pelvis = file.section("pelvis");
  a.pubicCrest = pelvis.point("pubic_crest");
  a.iliacSpine = pelvis.point("iliac_spine");
  a.iliacTubercle = pelvis.point("iliac_tubercle");
  a.iliacCrest = pelvis.point("iliac_crest");
  a.promontory = pelvis.point("promontory");
  const Fields arm = file.section("arm");
  a.sternoclavicular = arm.point("sternoclavicular");
  a.acromioclavicular = arm.point("acromioclavicular");
  a.shoulder = arm.point("shoulder");
  a.elbow = arm.point("elbow");
  a.wrist = arm.point("wrist");
  a.dome = readRadial(file.section("dome"), true);
  a.wall = readRadial(file.section("wall"), false);
  smoothTable(a.dome, 4);
  smoothTable(a.wall, 2);
  a.trunk = readRadial(file.section("trunk"), false);
  return a;
}

TorsoAnatomy measuredTorso() {
  return readTorsoAnatomy(dataFile("body/measured/torso.toml"));
}

}  // namespace pneuma::breath
