#include "pneuma/flesh/sealed_surface.h"

#include <algorithm>
#include <set>
#include <utility>

namespace pneuma::flesh {
namespace {

using namespace pneuma::internal;

/// Normals of four faces, each a sixth of their edges' product: what a corner gets of the gradient.
template <class Faces>
PNEUMA_INTO_BOTH void findNormals(const Faces& f, const Quad* points, const Four& origin,
                                  Four (&normals)[4], Four& volume) {
  for (std::size_t k = 0; k < 4; ++k) {
    const Four at = fourBehind(points, f.a[k]);
    const Four u = fourBehind(points, f.b[k]) - at, w = fourBehind(points, f.c[k]) - at;
    Four uNext, wNext;  // (y, z, x) of both; their product is turned alike
    rotateAxes(u, uNext);
    rotateAxes(w, wNext);
    rotateAxes(u * wNext - uNext * w, normals[k]);
    normals[k] *= 1.0 / 6;
    volume += (at - origin) * normals[k];
  }
}

/// Lengths of four vectors, whose fourth numbers are 0.
PNEUMA_INTO_BOTH void findLengths(const Four (&v)[4], Four& lengths) {
  Four axes[4];
  transpose(v[0] * v[0], v[1] * v[1], v[2] * v[2], v[3] * v[3], axes);
  lengths = axes[0] + axes[1] + axes[2];
  takeRoot(lengths);
}

}  // namespace

SealedSurface::SealedSurface(const TriangleMesh& mesh, std::span<const SurfaceSpring> springs)
    : springs_(springs.begin(), springs.end()), springsAt_(mesh.vertexCount(), 0) {
  for (const Vec3& p : mesh.positions) position.emplace_back(p);
  velocity.resize(position.size());
  gradient = force = velocity;
  const auto whole = [](std::size_t n) { return (n + kFour - 1) / kFour; };
  faceQuads_.resize(whole(mesh.triangles.size()));
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    FaceQuad& f = faceQuads_[i / kFour];
    f.a[i % kFour] = bytesTo(mesh.triangles[i][0]);
    f.b[i % kFour] = bytesTo(mesh.triangles[i][1]);
    f.c[i % kFour] = bytesTo(mesh.triangles[i][2]);
  }
  springQuads_.resize(whole(springs_.size()));
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const auto a = static_cast<std::size_t>(springs_[i].a),
               b = static_cast<std::size_t>(springs_[i].b);
    SpringQuad& s = springQuads_[i / kFour];
    s.a[i % kFour] = bytesTo(springs_[i].a);
    s.b[i % kFour] = bytesTo(springs_[i].b);
    s.restLength[i % kFour] = (mesh.positions[b] - mesh.positions[a]).norm();
    s.share[i % kFour] = springs_[i].share;
    springsAt_[a] += springs_[i].share;
    springsAt_[b] += springs_[i].share;
  }
}

std::vector<SurfaceSpring> SealedSurface::edgesOf(const TriangleMesh& mesh) {
  std::vector<SurfaceSpring> edges;
  std::set<std::pair<int, int>> seen;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = t[i], b = t[(i + 1) % 3];
      if (seen.insert(std::minmax(a, b)).second) edges.push_back({a, b});
    }
  return edges;
}

double SealedSurface::restLength(std::size_t spring) const {
  return springQuads_[spring / kFour].restLength[spring % kFour];
}

/// [Zordan05, Fig. 4] by tetrahedra whose apexes meet in a vertex, so that a body far from the
/// origin does not lose digits.
void SealedSurface::readVolume() {
  inRegisters([&]() PNEUMA_INLINED {
    const Quad* points = position.data();
    Quad* sums = gradient.data();
    std::fill(gradient.begin(), gradient.end(), Quad());
    const Four origin = four(position.front());
    Four inside = {}, shares = {}, normals[4], lengths;
    for (const FaceQuad& f : faceQuads_) {
      findNormals(f, points, origin, normals, inside);
      findLengths(normals, lengths);
      shares += lengths;
      for (std::size_t k = 0; k < kFour; ++k) {
        const Four share = Four{} + lengths[k];
        const Four both = __builtin_shufflevector(normals[k], share, 0, 1, 2, 7);
        fourBehind(sums, f.a[k]) += both;
        fourBehind(sums, f.b[k]) += both;
        fourBehind(sums, f.c[k]) += both;
      }
    }
    volume = inside[0] + inside[1] + inside[2];
    area = 3 * ((shares[0] + shares[1]) + (shares[2] + shares[3]));
  });
}

// Four springs at a time; their ends are gathered and scattered in the order of the list, so the
// sums have the same bits at every width.
void SealedSurface::pull(double k, double b) {
  inRegisters([&]() PNEUMA_INLINED {
    const Quad* points = position.data();
    const Quad* speeds = velocity.data();
    Quad* sums = force.data();
    std::fill(force.begin(), force.end(), Quad());
    const Four zero = {};
    for (const SpringQuad& s : springQuads_) {
      Four span[4], speed[4], pulls[4];
      const auto between = [&](const Quad* from, std::size_t i) PNEUMA_INLINED {
        return fourBehind(from, s.b[i]) - fourBehind(from, s.a[i]);
      };
      transpose(between(points, 0), between(points, 1), between(points, 2), between(points, 3),
                span);
      transpose(between(speeds, 0), between(speeds, 1), between(speeds, 2), between(speeds, 3),
                speed);
      Four length = span[0] * span[0] + span[1] * span[1] + span[2] * span[2];
      takeRoot(length);
      const Four inverse = 1.0 / (length > 1e-9 ? length : zero + 1e-9);
      const Four rate = (speed[0] * span[0] + speed[1] * span[1] + speed[2] * span[2]) * inverse;
      const Four tension = fourAt(s.share.data()) * inverse *
                           (k * (length - fourAt(s.restLength.data())) + b * rate);
      transpose(tension * span[0], tension * span[1], tension * span[2], zero, pulls);
      for (std::size_t i = 0; i < kFour; ++i) {
        fourBehind(sums, s.a[i]) += pulls[i];
        fourBehind(sums, s.b[i]) -= pulls[i];
      }
    }
  });
}

}  // namespace pneuma::flesh
