// Cook's membrane by our elements and by CalculiX on the same mesh. Skipped where there is no ccx.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/verify/flesh/block_mesh.h"

namespace pneuma::flesh::embedded {
namespace {

constexpr double kLength = 0.048, kRoot = 0.044, kTip = 0.016, kThick = 0.008;  // [m], Cook 1974
constexpr double kForce = 0.6;                                                  // upwards [N]
// Near the incompressible limit, as flesh: kappa / mu = 12.
constexpr TissueMaterial kRubber{.mu10 = 0.04e6, .mu01 = 0, .kappa = 1e6};

/// A tapered plate, held at its root, of 16 x 16 x 2 cubes.
std::shared_ptr<Lattice> makeMembrane() {
  const std::array<int, 3> n{16, 16, 2};
  std::shared_ptr<Lattice> l = makeBlock(n, 1);
  for (Vec3& p : l->nodes) {
    const double s = p.x() / n[0], t = p.y() / n[1];
    const double bottom = s * kRoot, top = kRoot + s * kTip;
    p = {s * kLength, bottom + t * (top - bottom), p.z() / n[2] * kThick};
  }
  return l;
}

/// The force spread over the tip's face by area, on its nodes.
std::vector<Vec3> tipLoads(const Lattice& l) {
  std::vector<Vec3> loads(l.nodes.size(), Vec3::Zero());
  double area = 0;
  for (const Tet& t : l.tets)
    for (std::size_t off = 0; off < 4; ++off) {
      std::array<std::int32_t, 3> face{};
      std::size_t k = 0;
      for (std::size_t c = 0; c < 4; ++c)
        if (c != off) face[k++] = t[c];
      bool atTip = true;
      for (const std::int32_t v : face)
        atTip = atTip && l.nodes[std::size_t(v)].x() > kLength - 1e-9;
      if (!atTip) continue;
      const double a = triangleArea(l.nodes[std::size_t(face[0])], l.nodes[std::size_t(face[1])],
                                    l.nodes[std::size_t(face[2])]);
      area += a;
      for (const std::int32_t v : face) loads[std::size_t(v)].y() += a / 3;
    }
  for (Vec3& f : loads) f *= kForce / area;
  return loads;
}

void writeDeck(const std::filesystem::path& path, const Lattice& l,
               const std::vector<Vec3>& loads) {
  std::ofstream out(path);
  out.precision(12);  // fields of a deck hold twenty characters
  out << "*NODE, NSET=ALL\n";
  for (std::size_t i = 0; i < l.nodes.size(); ++i)
    out << i + 1 << ", " << l.nodes[i].x() << ", " << l.nodes[i].y() << ", " << l.nodes[i].z()
        << '\n';
  out << "*ELEMENT, TYPE=C3D4, ELSET=BODY\n";
  for (std::size_t t = 0; t < l.tets.size(); ++t)
    out << t + 1 << ", " << l.tets[t][0] + 1 << ", " << l.tets[t][1] + 1 << ", " << l.tets[t][2] + 1
        << ", " << l.tets[t][3] + 1 << '\n';
  // W = C10 (I1 - 3) + (J - 1)^2 / D1, so D1 = 2 / kappa; equation 9 has log J for J - 1.
  out << "*MATERIAL, NAME=RUBBER\n*HYPERELASTIC, NEO HOOKE\n"
      << kRubber.mu10 << ", " << 2 / kRubber.kappa << "\n*SOLID SECTION, ELSET=BODY, "
      << "MATERIAL=RUBBER\n*BOUNDARY\n";
  for (std::size_t i = 0; i < l.nodes.size(); ++i)
    if (l.nodes[i].x() < 1e-9) out << i + 1 << ", 1, 3\n";
  out << "*STEP, NLGEOM\n*STATIC\n0.25, 1.\n*CLOAD\n";
  for (std::size_t i = 0; i < l.nodes.size(); ++i)
    if (loads[i].y() != 0) out << i + 1 << ", 2, " << loads[i].y() << '\n';
  out << "*NODE PRINT, NSET=ALL, FREQUENCY=999999\nU\n*END STEP\n";
}

/// Displacements of the last table of a .dat file.
std::vector<Vec3> readDisplacements(const std::filesystem::path& path, std::size_t count) {
  std::vector<Vec3> u(count, Vec3::Constant(NAN));
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::size_t node = 0;
    Vec3 v;
    if (words >> node >> v.x() >> v.y() >> v.z() && node >= 1 && node <= count) u[node - 1] = v;
  }
  return u;
}

TEST(CooksMembrane, AgreesWithCalculixOnTheSameMesh) {
  if (std::system("command -v ccx > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "needs ccx (Debian package calculix-ccx)";
  const std::shared_ptr<Lattice> lattice = makeMembrane();
  const std::vector<Vec3> loads = tipLoads(*lattice);
  FleshModel model = makeUniformFlesh(lattice, kRubber);
  hold(model, [](const Vec3& p) { return p.x() < 1e-9 ? 7 : 0; });
  FleshSolver solver(std::make_shared<FleshModel>(model),
                     {.method = LinearMethod::Cholesky, .tolerance = 1e-8});
  std::vector<Vec3> y = solver.rest();
  ASSERT_TRUE(solver.solve({.loads = loads}, y).converged);

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "pneuma_cook_membrane";
  std::filesystem::create_directories(folder);
  writeDeck(folder / "cook.inp", *lattice, loads);
  const std::string command =
      "cd '" + folder.string() + "' && OMP_NUM_THREADS=1 ccx -i cook > cook.log 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << "see " << folder / "cook.log";
  const std::vector<Vec3> judge = readDisplacements(folder / "cook.dat", y.size());

  double ours = 0, theirs = 0, worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const Vec3 u = y[i] - lattice->nodes[i];
    worst = std::max(worst, (u - judge[i]).norm());
    ours = std::max(ours, u.y());
    theirs = std::max(theirs, judge[i].y());
  }
  ASSERT_GT(theirs, 0.004);  // far from small: a tenth of the plate
  EXPECT_NEAR(ours / theirs, 1, 0.005);
  EXPECT_LT(worst, 0.005 * theirs);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pneuma::flesh::embedded
