#include "pneuma/flesh/pressure_body.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pneuma/core/error.h"

namespace pneuma::flesh {

using namespace pneuma::internal;

void PointArray::setZero() {
  std::fill(x.begin(), x.end(), 0.0);
  std::fill(y.begin(), y.end(), 0.0);
  std::fill(z.begin(), z.end(), 0.0);
}

double addVolumeGradient(std::span<const Triangle> triangles, const PointArray& points,
                         const Vec3& origin, double sign, PointArray& gradient) {
  const double* px = points.x.data();
  const double* py = points.y.data();
  const double* pz = points.z.data();
  double* gx = gradient.x.data();
  double* gy = gradient.y.data();
  double* gz = gradient.z.data();
  const double ox = origin.x(), oy = origin.y(), oz = origin.z();
  const double sixth = sign / 6;
  double volume = 0;
  for (const auto& [a, b, c] : triangles) {
    const double ax = px[a], ay = py[a], az = pz[a];
    const double ux = px[b] - ax, uy = py[b] - ay, uz = pz[b] - az;
    const double wx = px[c] - ax, wy = py[c] - ay, wz = pz[c] - az;
    const double nx = (uy * wz - uz * wy) * sixth;
    const double ny = (uz * wx - ux * wz) * sixth;
    const double nz = (ux * wy - uy * wx) * sixth;
    volume += (ax - ox) * nx + (ay - oy) * ny + (az - oz) * nz;
    for (const std::int32_t i : {a, b, c}) {
      gx[i] += nx;
      gy[i] += ny;
      gz[i] += nz;
    }
  }
  return volume * sign;
}

double signedVolume(std::span<const Triangle> triangles, const PointArray& points,
                    const Vec3& origin) {
  double sum = 0;
  for (const auto& [a, b, c] : triangles) {
    const Vec3 p = points[static_cast<std::size_t>(a)];
    const Vec3 u = points[static_cast<std::size_t>(b)] - p;
    const Vec3 w = points[static_cast<std::size_t>(c)] - p;
    sum += (p - origin).dot(u.cross(w));
  }
  return sum / 6;
}

double PressureLaw::pressure(double volume) const {
  const double v = std::max(volume, 1e-3 * restVolume);
  const double p = bulkModulus * (restVolume / v - 1);  // Eq. 4
  return clamp ? std::max(0.0, p) : p;
}

double PressureLaw::stiffness(double volume) const {
  const double v = std::max(volume, 1e-3 * restVolume);
  return bulkModulus * restVolume / (v * v);
}

namespace {

/// Edges of the mesh and what crosses its inside.
std::vector<SurfaceSpring> springsOf(const TriangleMesh& mesh,
                                     const std::vector<InnerSpring>& supports) {
  if (mesh.empty() || !analyzeTopology(mesh).watertight())
    throw InputError("a pressure body needs a watertight surface");
  std::vector<SurfaceSpring> springs = SealedSurface::edgesOf(mesh);
  springs.insert(springs.end(), supports.begin(), supports.end());
  return springs;
}

}  // namespace

PressureBody::PressureBody(TriangleMesh rest, PressureBodyConfig config, std::vector<int> anchors,
                           std::vector<InnerSpring> supports)
    : mesh_(std::move(rest)),
      config_(config),
      surface_(mesh_, springsOf(mesh_, supports)),
      anchors_(std::move(anchors)) {
  law_ = {.bulkModulus = config_.bulkModulus, .restVolume = enclosedVolume(mesh_), .clamp = false};
  const std::size_t n = mesh_.vertexCount();
  mass_ = config_.mass / static_cast<double>(n);
  velocity_.assign(n, Vec3::Zero());
  force_.assign(n, Vec3::Zero());
  anchorsAt_.assign(n, 0);
  for (const int i : anchors_) {
    targets_.push_back(mesh_.positions[static_cast<std::size_t>(i)]);
    ++anchorsAt_[static_cast<std::size_t>(i)];
  }
  targetVelocity_.assign(anchors_.size(), Vec3::Zero());
}

double PressureBody::volume() const {
  return enclosedVolume(mesh_);
}

void PressureBody::addAnchors(std::span<const Vec3> targets) {
  inRegisters([&]() PNEUMA_INLINED {
    const double k = config_.anchorStiffness, d = config_.anchorDamping;
    for (std::size_t n = 0; n < anchors_.size(); ++n) {
      const auto i = static_cast<std::size_t>(anchors_[n]);
      Four target, speed;
      load(targets[n], target);
      load(targetVelocity_[n], speed);
      four(surface_.force[i]) +=
          k * (target - four(surface_.position[i])) + d * (speed - four(surface_.velocity[i]));
    }
  });
}

const std::vector<Vec3>& PressureBody::computeForces(std::span<const Vec3> targets) {
  std::fill(targetVelocity_.begin(), targetVelocity_.end(), Vec3::Zero());
  surface_.readVolume();
  surface_.pull(config_.edgeStiffness, config_.edgeDamping);
  addAnchors(targets);
  const double p = law_.pressure(surface_.volume);
  for (std::size_t i = 0; i < force_.size(); ++i)
    force_[i] = surface_.force[i].vector() + p * surface_.gradient[i].vector();  // Eq. 5
  return force_;
}

double PressureBody::energy(std::span<const Vec3> targets) const {
  const double v = std::max(volume(), 1e-3 * law_.restVolume);
  double sum = law_.bulkModulus * (v - law_.restVolume * std::log(v));
  const auto springs = surface_.springs();
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const double stretch = (mesh_.positions[static_cast<std::size_t>(springs[i].b)] -
                            mesh_.positions[static_cast<std::size_t>(springs[i].a)])
                               .norm() -
                           surface_.restLength(i);
    sum += 0.5 * springs[i].share * config_.edgeStiffness * stretch * stretch;
  }
  for (std::size_t k = 0; k < anchors_.size(); ++k)
    sum += 0.5 * config_.anchorStiffness *
           (targets[k] - mesh_.positions[static_cast<std::size_t>(anchors_[k])]).squaredNorm();
  return sum;
}

void PressureBody::setState(std::vector<Vec3> positions, std::vector<Vec3> velocities,
                            std::span<const Vec3> targets) {
  if (positions.size() != force_.size() || velocities.size() != force_.size() ||
      targets.size() != anchors_.size())
    throw InputError("the state belongs to another pressure body");
  mesh_.positions = std::move(positions);
  velocity_ = std::move(velocities);
  for (std::size_t i = 0; i < force_.size(); ++i) {
    surface_.position[i] = Quad(mesh_.positions[i]);
    surface_.velocity[i] = Quad(velocity_[i]);
  }
  targets_.assign(targets.begin(), targets.end());
}

/// Inertia of each vertex: mass, half of h^2 k and all of h b of its springs, and the pressure's
/// stiffness c g g^T, bounded by the diagonal c |g_i| sum |g_j|.
void PressureBody::step(std::span<const Vec3> targets, double dt) {
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    targetVelocity_[k] = (targets[k] - targets_[k]) / dt;
    targets_[k] = targets[k];
  }
  surface_.readVolume();
  surface_.pull(config_.edgeStiffness, config_.edgeDamping);
  addAnchors(targets);
  const auto gain = [dt](double k, double b) { return 0.5 * dt * dt * k + dt * b; };
  const double springTerm = gain(config_.edgeStiffness, config_.edgeDamping);
  const double anchorTerm = gain(config_.anchorStiffness, config_.anchorDamping);
  const double p = law_.pressure(surface_.volume);
  const double pressureTerm = 0.25 * dt * dt * law_.stiffness(surface_.volume) * surface_.area;
  inRegisters([&]() PNEUMA_INLINED {
    const double* springsAt = surface_.springsAt().data();
    for (std::size_t i = 0; i < force_.size(); ++i) {
      const Quad& g = surface_.gradient[i];
      const double inertia =
          mass_ + pressureTerm * g.rest + springTerm * springsAt[i] + anchorTerm * anchorsAt_[i];
      Four f = four(surface_.force[i]) + p * four(g);  // Eq. 5
      dropFourth(f);
      const Four v = four(surface_.velocity[i]) + dt / inertia * f;
      const Four x = four(surface_.position[i]) + dt * v;
      four(surface_.velocity[i]) = v;
      four(surface_.position[i]) = x;
    }
  });
  for (std::size_t i = 0; i < force_.size(); ++i) {
    velocity_[i] = surface_.velocity[i].vector();
    mesh_.positions[i] = surface_.position[i].vector();
  }
}

}  // namespace pneuma::flesh
