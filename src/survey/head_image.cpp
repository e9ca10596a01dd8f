#include "survey/head_image.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "anatomy/shape/distance_volume.h"
#include "anatomy/skin/head_surface.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/io/mesh_file.h"
#include "survey/head_lids.h"
#include "survey/measure_head.h"
#include "survey/square_chart.h"

namespace pneuma::survey::internal {
namespace {

using anatomy::internal::DistanceVolume;

constexpr const char* kMan = "male_average";
constexpr const char* kWoman = "female_average";

constexpr int kImageSize = 144;
constexpr double kInPlane = 2e-5;       ///< vertices nearer to the mid-plane lie in it [m]
constexpr double kLowest = 1.3;         ///< of the measured man: what lies below is no head [m]
constexpr double kSeenShare = 0.12;     ///< of all directions: less is inside
constexpr double kCutBelow = 0.03;      ///< the surface ends this far below the border [m]
constexpr double kDetailRadius = 0.02;  ///< places that bend over less get more room [m]
constexpr double kMostDetail = 4;       ///< at most this many times
constexpr double kNeckCell = 0.0025;    ///< of the measured skin's distances [m]
constexpr int kSubdivisions = 2;

/// The faces of a character (all are quads) in the place and size of the measured head.
struct SourceHead {
  PolygonMesh mesh;
  Vec3 eye;
};
SourceHead sourceHead(const std::filesystem::path& folder, const std::string& character,
                      const HeadFrame& measured) {
  const TriangleMesh body = io::readMesh(folder / (character + ".obj"));
  const HeadMap map(headFrame(body), measured);
  SourceHead head{{body.positions, {}}, map(eyeMarker(folder, character))};
  for (Vec3& p : head.mesh.positions) p = map(p);
  // Readers cut quads into two triangles that follow one another.
  for (std::size_t t = 0; t + 1 < body.triangleCount(); t += 2) {
    const Triangle &a = body.triangles[t], &b = body.triangles[t + 1];
    if (a[0] != b[0] || a[2] != b[1])
      throw InputError(
          {.where = {(folder / (character + ".obj")).string()}, .message = "is not made of quads"});
    head.mesh.faces.push_back({a[0], a[1], a[2], b[2]});
  }
  return head;
}

/// The faces of the head of both characters: those that lie high enough on the man.
void dropBelow(PolygonMesh& man, PolygonMesh& woman) {
  std::vector<Polygon> kept;
  for (const Polygon& f : man.faces)
    if (std::ranges::all_of(f, [&](std::int32_t v) { return man.positions[at(v)].y() > kLowest; }))
      kept.push_back(f);
  man.faces = woman.faces = kept;
}

/// Symmetric, lids closed, inner pockets gone: the outside of both heads, of the same faces.
std::pair<PolygonMesh, PolygonMesh> outsides(SourceHead man, SourceHead woman) {
  // Both meshes are symmetric but for rounding: what is in the mid-plane is so in both.
  for (std::size_t v = 0; v < man.mesh.positions.size(); ++v)
    if (std::abs(man.mesh.positions[v].x()) < kInPlane) woman.mesh.positions[v].x() = 0;
  dropBelow(man.mesh, woman.mesh);
  PolygonMesh m = madeSymmetric(man.mesh, kInPlane), w = madeSymmetric(woman.mesh, kInPlane);
  if (m.faces != w.faces) throw InputError("the characters differ in their faces");
  closeLids(m, man.eye);
  closeLids(w, woman.eye);
  m = madeSymmetric(m, kInPlane), w = madeSymmetric(w, kInPlane);
  std::vector<char> seen = seenFromOutside(m, kSeenShare);
  for (std::size_t f = 0; f < seen.size() / 2; ++f) seen[seen.size() / 2 + f] = seen[f];
  keepFaces(m, seen);
  keepFaces(w, seen);
  closeHoles(m);
  w.faces = m.faces;
  return {m, w};
}

/// The left half as triangles, finely subdivided.
TriangleMesh fineHalf(PolygonMesh mesh) {
  for (int k = 0; k < kSubdivisions; ++k) mesh = catmullClark(mesh);
  TriangleMesh fine = triangulated(mesh);
  for (Vec3& p : fine.positions)
    if (std::abs(p.x()) < 1e-9) p.x() = 0;
  std::erase_if(fine.triangles, [&](const Triangle& t) {
    return std::ranges::any_of(t, [&](std::int32_t v) { return fine.positions[at(v)].x() < 0; });
  });
  return fine;
}

double aboveCut(const Vec3& p) {
  return p.y() - (neckBorder(p.z()) - kCutBelow);
}

/// Cuts both surfaces off where the first one meets the cut.
void cutBoth(TriangleMesh& man, TriangleMesh& woman) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> made;
  const auto height = [&](std::int32_t v) { return aboveCut(man.positions[at(v)]); };
  const auto between = [&](std::int32_t a, std::int32_t b) {
    const auto [it, added] =
        made.try_emplace(std::minmax(a, b), static_cast<std::int32_t>(man.positions.size()));
    if (!added) return it->second;
    const double s = height(it->first.first) / (height(it->first.first) - height(it->first.second));
    for (TriangleMesh* mesh : {&man, &woman}) {
      const Vec3 p = mesh->positions[at(it->first.first)];
      mesh->positions.push_back(p + s * (mesh->positions[at(it->first.second)] - p));
    }
    return it->second;
  };
  std::vector<Triangle> kept;
  for (const Triangle& t : man.triangles) {
    Polygon inside;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = t[k], b = t[(k + 1) % 3];
      if (height(a) > 0) inside.push_back(a);
      if ((height(a) > 0) != (height(b) > 0)) inside.push_back(between(a, b));
    }
    for (std::size_t k = 2; k < inside.size(); ++k)
      kept.push_back({inside[0], inside[k - 1], inside[k]});
  }
  man.triangles = woman.triangles = kept;
  removeUnusedVertices(man);
  removeUnusedVertices(woman);
}

/// Lays the neck onto the measured skin.
class MeasuredNeck {
 public:
  explicit MeasuredNeck(const TriangleMesh& skin) {
    Box box = boundingBox(skin.positions);
    box.min = box.min.cwiseMax(Vec3(-0.16, kLowest, -1)),
    box.max = box.max.cwiseMin(Vec3(0.16, 9, 1));
    DistanceVolume d(box, kNeckCell, 0);
    const std::vector<TriangleMesh> meshes{skin};
    fillDistances(meshes, d);
    distances_ = anatomy::internal::mirrorAverage(d, d);
    anatomy::internal::smoothen(distances_, 2);
  }

  Vec3 laid(const Vec3& p) const {
    const double head = shareOfHead(p);
    if (head >= 1) return p;
    Vec3 q = p;
    for (int step = 0; step < 8; ++step) {
      Vec3 g = distances_.gradient(q);
      if (p.x() == 0) g.x() = 0;
      q -= distances_.sample(q) / std::max(g.squaredNorm(), 0.25) * g;
    }
    return head * p + (1 - head) * q;
  }

 private:
  DistanceVolume distances_;
};

/// Root mean square distance of the vertices from the surface through the table's points.
double imageError(const TriangleMesh& surface, std::span<const Vec3> grid) {
  TriangleMesh image{{grid.begin(), grid.end()}, {}};
  for (int j = 0; j + 1 < kImageSize; ++j)
    for (int i = 0; i + 1 < kImageSize; ++i) {
      const std::int32_t a = j * kImageSize + i, b = a + 1, c = a + kImageSize, d = c + 1;
      image.triangles.push_back({a, b, d});
      image.triangles.push_back({a, d, c});
    }
  const SurfaceQuery query(std::move(image));
  double sum = 0;
  for (const Vec3& p : surface.positions) sum += std::pow(query.closest(p).distance, 2);
  return std::sqrt(sum / static_cast<double>(surface.vertexCount()));
}

}  // namespace

Measurement measureHeadImage(const AnatomyPack& pack, const std::string& name,
                             const std::filesystem::path& characters) {
  const TriangleMesh skin = pack.mesh("skin_outer");
  const HeadFrame measured = headFrame(skin);
  const auto [manOutside, womanOutside] =
      outsides(sourceHead(characters, kMan, measured), sourceHead(characters, kWoman, measured));
  TriangleMesh man = fineHalf(manOutside), woman = fineHalf(womanOutside);
  woman.triangles = man.triangles;
  cutBoth(man, woman);
  const std::vector<Vec2> places =
      squareChart(man, anatomy::internal::detailDensity(man, kDetailRadius, kMostDetail));
  TriangleMesh& wanted = name == kHeadImage ? man : woman;
  const MeasuredNeck neck(skin);
  for (Vec3& p : wanted.positions) p = neck.laid(p);

  Measurement m;
  m.name = name;
  m.group = "face";
  m.shape.symmetric = true;
  anatomy::ShapePart& part = m.shape.parts.emplace_back();
  part.kind = anatomy::ShapeKind::Plate;
  part.rows = part.columns = kImageSize;
  for (const ChartNode& n : chartNodes(man, places, kImageSize)) {
    Vec3 p = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k)
      p += n.weights[static_cast<Eigen::Index>(k)] *
           wanted.positions[at(wanted.triangles[at(n.triangle)][k])];
    // The sides u = 0, v = 1 and u = 1 lie in the mid-plane.
    const int i = static_cast<int>(part.grid.size()) % kImageSize,
              j = static_cast<int>(part.grid.size()) / kImageSize;
    if (i == 0 || i == kImageSize - 1 || j == kImageSize - 1) p.x() = 0;
    part.grid.push_back(p);
  }
  m.fitError = imageError(wanted, part.grid);
  return m;
}

}  // namespace pneuma::survey::internal
