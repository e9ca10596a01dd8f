#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "pneuma/anatomy/check.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::anatomy {
namespace {

constexpr const char* kSpringSet = "shoulder";

/// Surfaces of the bones that have a shape.
struct BoneSurface {
  std::unique_ptr<SurfaceQuery> query;
  Eigen::AlignedBox3d box;
};

/// Takes a minute where no surface is cached yet, hence the progress.
std::vector<BoneSurface> makeSurfaces(const Body& body, const GeometryCache& cache,
                                      Progress& progress) {
  std::map<std::string, const BoneShape*> shapes;
  for (const Shape& s : body.shapes) shapes[s.bone] = &s.shape;
  std::vector<BoneSurface> surfaces(body.bones.size());
  progress.begin("surfaces of bones", static_cast<double>(body.bones.size()));
  for (std::size_t i = 0; i < body.bones.size(); ++i) {
    progress.update(static_cast<double>(i));
    const auto it = shapes.find(body.bones[i].name);
    if (it == shapes.end()) continue;
    TriangleMesh mesh = cache.boneMesh(*it->second);
    for (const Vec3& p : mesh.positions) surfaces[i].box.extend(p);
    surfaces[i].query = std::make_unique<SurfaceQuery>(std::move(mesh));
  }
  progress.end();
  return surfaces;
}

class GeometryCheck {
 public:
  GeometryCheck(const Body& body, const GeometryCache& cache, const CheckOptions& options)
      : body_(body),
        options_(options),
        points_(body, ignored_),
        surfaces_(
            makeSurfaces(body, cache, options.progress != nullptr ? *options.progress : silent_)) {}

  void muscle(const Muscle& m, std::vector<Diagnostic>& out) const {
    std::vector<BodyPoint> path;
    for (const PointRef& ref : m.points) {
      const Result<BodyPoint> p = points_.resolve(ref);
      if (!p) return;
      path.push_back(*p);
    }
    if (!m.points.front().soft) attachment(m, path.front(), "origin", out);
    if (!m.points.back().soft) attachment(m, path.back(), "insertion", out);
    // Springs that stand for broad muscles run straight through what these go around.
    if (m.set != kSpringSet) cuts(m, path, out);
  }

 private:
  /// `excess` [m] over what is allowed: a little more may come from the fit to the person, which
  /// carries points and the parts of bones by one map but not to the same micrometre.
  void report(const Muscle& m, double excess, std::string message, std::string expected,
              std::vector<Diagnostic>& out) const {
    const bool fault = excess > options_.fittingSlack;
    out.push_back({fault ? Severity::Error : Severity::Warning, m.where.position(),
                   fmt::format("muscle '{}'", m.name), "points", std::move(message),
                   std::move(expected), ""});
  }

  void attachment(const Muscle& m, const BodyPoint& p, const char* which,
                  std::vector<Diagnostic>& out) const {
    const BoneSurface& s = surfaces_[static_cast<std::size_t>(p.bone)];
    if (!s.query) return;
    const double distance = s.query->closest(p.position).distance;
    if (distance > options_.attachmentDistance)
      report(m, distance - options_.attachmentDistance,
             fmt::format("{} lies {:.1f} mm from the surface of {}", which, 1e3 * distance,
                         points_.boneNames()[static_cast<std::size_t>(p.bone)]),
             fmt::format("within {:.1f} mm", 1e3 * options_.attachmentDistance), out);
  }

  /// The deepest place of a path below a bone's surface.
  struct Cut {
    double depth = 0;  // [m]
    std::size_t bone = 0, segment = 0;
    Vec3 place = Vec3::Zero();
  };

  /// Samples the path; the ends may lie in their own bone's surface.
  void cuts(const Muscle& m, const std::vector<BodyPoint>& path,
            std::vector<Diagnostic>& out) const {
    Cut worst;
    for (std::size_t i = 1; i < path.size(); ++i) {
      const Vec3 a = path[i - 1].position, b = path[i].position;
      const int n = std::max(2, static_cast<int>((b - a).norm() / options_.pathStep));
      for (int k = 1; k < n; ++k) deepen(a + (b - a) * k / n, i, worst);
    }
    if (worst.depth > options_.pathDepth)
      report(m, worst.depth - options_.pathDepth,
             fmt::format("path runs {:.1f} mm deep through {}, between points {} and {} at "
                         "[{:.0f}, {:.0f}, {:.0f}] mm",
                         1e3 * worst.depth, body_.bones[worst.bone].name, worst.segment,
                         worst.segment + 1, 1e3 * worst.place.x(), 1e3 * worst.place.y(),
                         1e3 * worst.place.z()),
             fmt::format("at most {:.1f} mm", 1e3 * options_.pathDepth), out);
  }

  void deepen(const Vec3& p, std::size_t segment, Cut& worst) const {
    for (std::size_t i = 0; i < surfaces_.size(); ++i) {
      const BoneSurface& s = surfaces_[i];
      // Rays are cheaper than closest points, and most samples lie outside.
      if (!s.query || !s.box.contains(p) || !s.query->inside(p)) continue;
      const double depth = s.query->closest(p).distance;
      if (depth > worst.depth) worst = {depth, i, segment, p};
    }
  }

  const Body& body_;
  CheckOptions options_;
  SilentProgress silent_;
  std::vector<Diagnostic> ignored_;
  PointTable points_;
  std::vector<BoneSurface> surfaces_;
};

}  // namespace

std::vector<Diagnostic> checkAttachments(const Body& body, const GeometryCache& cache,
                                         const CheckOptions& options) {
  const GeometryCheck check(body, cache, options);
  std::vector<std::vector<Diagnostic>> found(body.muscles.size());
  parallelFor(body.muscles.size(), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) check.muscle(body.muscles[i], found[i]);
  });
  std::vector<Diagnostic> out;
  for (auto& f : found) out.insert(out.end(), f.begin(), f.end());
  return out;
}

}  // namespace pneuma::anatomy
