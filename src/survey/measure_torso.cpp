// What the breathing torso needs of the measured man beyond the landmarks of his bones: distances
// along rays to the surfaces of his trunk, and the rim of his pelvis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "anatomy/shape/spline.h"
#include "anatomy/text/names.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/core/error.h"
#include "pneuma/survey/measure_tables.h"
#include "survey/joint_fit.h"

namespace pneuma::survey {

using namespace anatomy;
namespace {

using Table = std::vector<std::vector<double>>;

constexpr double kAxisZ = 0.10;  ///< of the vertical axis that wall and skin are measured from [m]
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// --- rays ------------------------------------------------------------------------------------

/// Distances of all triangles along a ray from 1 um on, ascending (Moeller and Trumbore).
std::vector<double> rayHits(const TriangleMesh& mesh, const Vec3& origin, const Vec3& direction) {
  std::vector<double> hits;
  for (const Triangle& t : mesh.triangles) {
    const Vec3& a = mesh.positions[static_cast<std::size_t>(t[0])];
    const Vec3 e1 = mesh.positions[static_cast<std::size_t>(t[1])] - a;
    const Vec3 e2 = mesh.positions[static_cast<std::size_t>(t[2])] - a;
    const Vec3 p = direction.cross(e2);
    const double determinant = e1.dot(p);
    if (std::abs(determinant) <= 1e-14) continue;
    const Vec3 s = origin - a, q = s.cross(e1);
    const double u = s.dot(p) / determinant, v = direction.dot(q) / determinant;
    const double distance = e2.dot(q) / determinant;
    if (u >= 0 && v >= 0 && u + v <= 1 && distance > 1e-6) hits.push_back(distance);
  }
  std::sort(hits.begin(), hits.end());
  return hits;
}

/// Azimuth 0 is to the front, 90 to the side; `side` 1 left, -1 right.
Vec3 rayDirection(double azimuth, double elevation, double side) {
  const double a = azimuth * std::numbers::pi / 180, e = elevation * std::numbers::pi / 180;
  return {side * std::sin(a) * std::cos(e), std::sin(e), std::cos(a) * std::cos(e)};
}

/// Mean over left and right; none when neither hits.
template <typename Radius>
double bothSides(const Radius& radius) {
  const double l = radius(1.0), r = radius(-1.0);
  if (std::isnan(l)) return r;
  return std::isnan(r) ? l : 0.5 * (l + r);
}

/// Holes take the mean of their neighbours until nothing changes (harmonic filling).
void fillHoles(Table& table) {
  const std::size_t rows = table.size(), columns = table[0].size();
  double sum = 0, count = 0;
  for (const auto& row : table)
    for (double v : row)
      if (!std::isnan(v)) sum += v, count += 1;
  const Table given = table;
  for (auto& row : table)
    for (double& v : row)
      if (std::isnan(v)) v = sum / count;
  for (int pass = 0; pass < 4000; ++pass) {
    const Table before = table;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        if (std::isnan(given[i][j]))
          table[i][j] = (before[std::min(i + 1, rows - 1)][j] + before[i > 0 ? i - 1 : 0][j] +
                         before[i][std::min(j + 1, columns - 1)] + before[i][j > 0 ? j - 1 : 0]) /
                        4;
  }
}

/// Evens out a table (weights 1 2 1 both ways): what single rays met is not shape, and a finer mesh
/// must not see more of it than a coarse one. With `pole` the last row is one point.
void smoothen(Table& table, int passes, bool pole = false) {
  const std::size_t rows = table.size(), columns = table[0].size();
  const auto pass = [&](std::size_t rowStep, std::size_t columnStep) {
    const Table old = table;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        const double up =
            old[std::min(i + rowStep, rows - 1)][std::min(j + columnStep, columns - 1)];
        const double down =
            old[i >= rowStep ? i - rowStep : 0][j >= columnStep ? j - columnStep : 0];
        table[i][j] = 0.25 * (up + down) + 0.5 * old[i][j];
      }
  };
  for (int k = 0; k < passes; ++k) {
    pass(1, 0);
    pass(0, 1);
    if (!pole) continue;
    double mean = 0;
    for (const double v : table.back()) mean += v / static_cast<double>(columns);
    table.back().assign(columns, mean);
  }
}

// --- text ------------------------------------------------------------------------------------

std::string list(const std::vector<double>& values, int digits = 4) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i)
    out += fmt::format("{}{:.{}f}", i ? ", " : "", values[i], digits);
  return out + "]";
}

std::string text(const Vec3& p) {
  return list({p.x(), p.y(), p.z()});
}

std::string text(const Table& table) {
  std::string out = "[";
  for (std::size_t i = 0; i < table.size(); ++i)
    out += (i ? ",\n          " : "") + list(table[i], 5);
  return out + "]";
}

std::string wholeNumbers(const std::vector<double>& values) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i)
    out += fmt::format("{}{:.0f}", i ? ", " : "", values[i]);
  return out + "]";
}

std::vector<double> steps(double first, double last, double step) {
  std::vector<double> values;
  for (int i = 0; first + i * step < last + 1e-9; ++i) values.push_back(first + i * step);
  return values;
}

// --- the table -------------------------------------------------------------------------------

class TorsoTable {
 public:
  TorsoTable(const AnatomyPack& pack, const std::vector<Measurement>& landmarks)
      : pack_(pack), landmarks_(landmarks) {}

  std::string run() {
    out_ =
        "# The trunk of one adult man, beyond the landmarks of his bones. Written by `pneuma body "
        "measure`. Measured on:\n# " +
        pack_.attribution() +
        "\n# This table is shared under the same licence.\n#\n"
        "# +X left, +Y up from the floor, +Z front. Left and right averaged, left side stated. "
        "Azimuth 0 is the front, 90 the\n# side, 180 the back.\n"
        "format = \"pneuma-body 1\"\nunits = { length = \"m\", angle = \"deg\" }\n";
    addPelvis();
    addRibRadii();
    addDome();
    addWall();
    addSkin();
    return out_;
  }

 private:
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    out_ += fmt::format(format, std::forward<Values>(values)...);
  }

  const Measurement& of(const std::string& bone) const {
    for (const Measurement& m : landmarks_)
      if (m.name == bone) return m;
    throw InputError(Diagnostic{.message = "no landmarks of '" + bone + "'"});
  }

  /// Mean distance of the surface from the centreline; both sides.
  double ribRadius(const std::string& rib) const {
    const std::vector<Vec3>& line = of(rib).curves.at("centreline");
    const auto mean = [&](const TriangleMesh& mesh) {
      double sum = 0, area = 0;
      for (const internal::SurfaceSample& s : internal::surfaceSamples(mesh, 0.003)) {
        sum += s.area * anatomy::internal::distanceToPolyline(s.position, line);
        area += s.area;
      }
      return sum / area;
    };
    return 0.5 * (mean(pack_.mesh(rib)) +
                  mean(mirroredMesh(pack_.mesh(anatomy::internal::mirrorName(rib)))));
  }

  void addRibRadii() {
    std::vector<double> radii;
    for (int i = 1; i <= 12; ++i) radii.push_back(ribRadius(fmt::format("rib_{:02}_l", i)));
    add("\n# Mean radius of the cross-sections of ribs 1 to 12.\n[trunk]\nrib_radius = {}\n",
        list(radii));
  }

  void addPelvis() {
    std::vector<Vec3> points = pack_.mesh("hip_bone_l").positions;
    for (Vec3 p : pack_.mesh("hip_bone_r").positions) points.emplace_back(-p.x(), p.y(), p.z());
    double front = -1e300;
    Vec3 spine = Vec3::Constant(-1e300), tubercle = spine, crest = spine;
    for (const Vec3& p : points) {
      if (p.x() < 0.04) front = std::max(front, p.z());
      if (p.x() <= 0.09 || p.y() <= 0.9) continue;
      if (p.z() > spine.z()) spine = p;
      if (p.x() > tubercle.x()) tubercle = p;
      if (p.y() > crest.y()) crest = p;
    }
    const double symphysis = of("hip_bone_l").points.at("symphysis").y();
    out_ +=
        "\n# The rim the abdominal wall ends on.\n"
        "[[landmarks]]\nbone = \"hip_bone_l\"\nmirror = true\n[landmarks.points]\n";
    add("pubic_crest = {}\n", text(Vec3(0, symphysis + 0.015, front - 0.006)));
    add("iliac_spine = {}\niliac_tubercle = {}\niliac_crest = {}\n", text(spine), text(tubercle),
        text(crest));
  }

  void addDome() {
    const Vec3 center(0, 1.06, 0.11);
    const TriangleMesh shell = pack_.mesh("diaphragm");
    const std::vector<double> azimuths = steps(0, 180, 15), elevations = steps(-20, 90, 10);
    const auto radius = [&](double azimuth, double elevation, double side) {
      const auto h = rayHits(shell, center, rayDirection(azimuth, elevation, side));
      if (h.empty() || h.back() < 0.06) return kNone;  // crura and the gap behind
      const std::size_t n = h.size();
      const bool oneFace = n < 2 || h[n - 1] - h[n - 2] > 0.015;
      return oneFace ? h[n - 1] - 0.003 : 0.5 * (h[n - 1] + h[n - 2]);
    };
    Table table;
    for (double e : elevations) {
      table.emplace_back();
      for (double a : azimuths)
        table.back().push_back(bothSides([&](double side) { return radius(a, e, side); }));
    }
    fillHoles(table);
    smoothen(table, 4, true);
    out_ +=
        "\n# Mid-surface of the diaphragm: distance from `center`, a row per elevation; directions "
        "without tissue are filled in.\n# Straight up all azimuths are one point.\n"
        "[trunk.diaphragm]\n";
    add("center = {}\nelevation = {}\nazimuth = {}\nradius = {}\n", text(center),
        wholeNumbers(elevations), wholeNumbers(azimuths), text(table));
  }

  template <typename Radius>
  void addContours(const char* name, const char* comment, const std::vector<double>& heights,
                   const std::vector<double>& azimuths, int smoothing, const Radius& radius) {
    Table table;
    for (double y : heights) {
      table.emplace_back();
      for (double a : azimuths)
        table.back().push_back(bothSides([&](double side) { return radius(y, a, side); }));
    }
    fillHoles(table);
    smoothen(table, smoothing);
    add("\n# {}\n[trunk.{}]\ncenter = {}\nheight = {}\nazimuth = {}\nradius = {}\n", comment, name,
        text(Vec3(0, 0, kAxisZ)), list(heights), wholeNumbers(azimuths), text(table));
  }

  void addWall() {
    TriangleMesh layers;
    for (const char* side : {"l", "r"})
      for (const char* muscle :
           {"external_oblique", "internal_oblique", "transversus_abdominis", "rectus_abdominis"})
        append(layers, pack_.mesh(fmt::format("{}_{}", muscle, side)));
    addContours(
        "wall",
        "Middle of the abdominal wall muscles: distance from the vertical axis through `center`.",
        steps(0.83, 1.19, 0.03), steps(0, 120, 15), 2, [&](double y, double azimuth, double side) {
          // The white line between the recti carries no muscle.
          const Vec3 d = rayDirection(std::max(azimuth, 8.0), 0, side);
          const auto h = rayHits(layers, Vec3(0, y, kAxisZ), d);
          return h.empty() ? kNone : 0.5 * (h.front() + h.back());
        });
  }

  void addSkin() {
    const TriangleMesh skin = pack_.mesh("torso_outer");
    addContours("outline", "Outer skin of the trunk without arms, the same way.",
                steps(0.83, 1.4, 0.03), steps(0, 180, 15), 0,
                [&](double y, double azimuth, double side) {
                  const auto h = rayHits(skin, Vec3(0, y, kAxisZ), rayDirection(azimuth, 0, side));
                  return h.empty() ? kNone : h.back();
                });
  }

  const AnatomyPack& pack_;
  const std::vector<Measurement>& landmarks_;
  std::string out_;
};

}  // namespace

std::string measureTorso(const AnatomyPack& pack, const std::vector<Measurement>& landmarks) {
  return TorsoTable(pack, landmarks).run();
}

}  // namespace pneuma::survey
