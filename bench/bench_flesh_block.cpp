// A frame of a plain bar of the paper's flesh, one end held and the other turned by a degree, on
// tetrahedra of one size that another program can solve, too: scripts/flesh_dolfinx.py.
// `bench_flesh_block [FILE]` prints tetrahedra, processor time, Newton steps and iterations, and
// writes mesh, start and result: counts; rest, held, start and result of every node; corners.
#include <fmt/format.h>
#include <fmt/os.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/cpu_time.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/triangle_mesh.h"
#include "pneuma/flesh/embedded/flesh_solver.h"

namespace {

using namespace pneuma;
namespace embedded = flesh::embedded;

constexpr double kSide = 0.08, kLength = 0.4, kEdge = 0.005;  // [m]
constexpr double kTurn = degreesToRadians(1);                 // per frame

/// A lattice without T-junctions whose every tetrahedron is full.
std::shared_ptr<embedded::Lattice> makeBar() {
  const TriangleMesh box = makeBox(Vec3(kLength, kSide, kSide), Vec3::Zero());
  auto lattice = std::make_shared<embedded::Lattice>(
      embedded::makeLattice(box, {.spacing = kEdge, .leafLevels = 1}));
  std::ranges::fill(lattice->share, 1.0F);
  return lattice;
}

}  // namespace

int main(int argc, char** argv) {
  setThreadCount(1);
  const auto lattice = makeBar();
  embedded::FleshModel model = embedded::makeUniformFlesh(lattice, {});
  const double inner = 0.5 * kLength - kEdge;  // beyond it the bar is held
  const auto turned = [&](const Vec3& p, double angle) -> Vec3 {
    const Vec3 centre(-inner, 0, 0);
    return centre + Eigen::AngleAxisd(angle, Vec3::UnitZ()) * (p - centre);
  };
  for (std::int32_t n = 0; n < lattice->freeCount; ++n)
    model.fixed.push_back(std::abs(lattice->nodes[std::size_t(n)].x()) > inner ? 7 : 0);
  // Each part of the bar starts turned by its share of the way.
  std::vector<Vec3> start;
  for (const Vec3& p : lattice->nodes)
    start.push_back(turned(p, kTurn * std::clamp(0.5 + 0.5 * p.x() / inner, 0.0, 1.0)));
  embedded::FleshSolver solver(std::make_shared<embedded::FleshModel>(model));
  std::vector<Vec3> y(start.begin(), start.begin() + lattice->freeCount);
  const double before = processCpuSeconds();
  const embedded::FleshReport r = solver.solve({}, y);
  fmt::print("{} {:.3f} {} {}\n", lattice->tetCount(), processCpuSeconds() - before, r.steps,
             r.iterations);
  if (argc < 2) return r.converged ? 0 : 1;
  auto out = fmt::output_file(argv[1]);
  out.print("{} {}\n", lattice->freeCount, lattice->tetCount());
  for (std::size_t n = 0; n < y.size(); ++n) {
    const Vec3 &p = lattice->nodes[n], &s = start[n], &x = y[n];
    out.print("{} {} {} {} {} {} {} {} {} {}\n", p.x(), p.y(), p.z(), model.fixed[n] != 0 ? 1 : 0,
              s.x(), s.y(), s.z(), x.x(), x.y(), x.z());
  }
  for (const embedded::Tet& t : lattice->tets) out.print("{} {} {} {}\n", t[0], t[1], t[2], t[3]);
  return r.converged ? 0 : 1;
}
