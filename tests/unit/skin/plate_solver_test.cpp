#include "skin/plate_solver.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "pneuma/core/random.h"

namespace pneuma::skin::internal {
namespace {

constexpr int kSide = 12;

/// A square net of points, its inner part free.
struct Sheet {
  PlateSolver::Neighbours neighbours{kSide * kSide};
  std::vector<bool> free = std::vector<bool>(kSide * kSide, false);

  Sheet() {
    for (int r = 0; r < kSide; ++r)
      for (int c = 0; c < kSide; ++c) {
        const auto link = [&](int i, int j) {
          if (i >= 0 && j >= 0 && i < kSide && j < kSide)
            neighbours[static_cast<std::size_t>(r * kSide + c)].push_back(i * kSide + j);
        };
        link(r - 1, c), link(r + 1, c), link(r, c - 1), link(r, c + 1);
        free[static_cast<std::size_t>(r * kSide + c)] =
            std::min({r, c, kSide - 1 - r, kSide - 1 - c}) >= 3;
      }
  }
  std::vector<Vec3> offsetsOf(const PlateSolver& plate, const std::vector<Vec3>& x) const {
    std::vector<Vec3> offsets;
    for (const std::int32_t i : plate.rows()) {
      Vec3 mean = Vec3::Zero();
      const auto& around = neighbours[static_cast<std::size_t>(i)];
      for (const std::int32_t j : around) mean += x[static_cast<std::size_t>(j)];
      offsets.push_back(mean / double(around.size()) - x[static_cast<std::size_t>(i)]);
    }
    return offsets;
  }
};

std::vector<Vec3> bumpySheet() {
  Random random(3);
  std::vector<Vec3> x;
  for (int r = 0; r < kSide; ++r)
    for (int c = 0; c < kSide; ++c) x.emplace_back(c, r, random.uniform(-0.5, 0.5));
  return x;
}

TEST(PlateSolver, WithItsOwnOffsetsKeepsItsShape) {
  const Sheet sheet;
  PlateSolver plate(sheet.neighbours, sheet.free);
  const std::vector<Vec3> rest = bumpySheet();
  std::vector<Vec3> x = rest;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (sheet.free[i]) x[i] = Vec3::Constant(7);  // must not matter
  plate.solve(sheet.offsetsOf(plate, rest), x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT((x[i] - rest[i]).norm(), 1e-10);
}

TEST(PlateSolver, TurnsWithItsRimAndOffsets) {
  const Sheet sheet;
  PlateSolver plate(sheet.neighbours, sheet.free);
  const std::vector<Vec3> rest = bumpySheet();
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  std::vector<Vec3> x, offsets = sheet.offsetsOf(plate, rest);
  for (std::size_t i = 0; i < rest.size(); ++i)
    x.push_back(sheet.free[i] ? Vec3::Zero() : Vec3(turn * rest[i] + Vec3(1, 0, 2)));
  for (Vec3& b : offsets) b = turn * b;
  plate.solve(offsets, x);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LT((x[i] - turn * rest[i] - Vec3(1, 0, 2)).norm(), 1e-10);
}

TEST(PlateSolver, WithoutOffsetsContinuesTheSlopeOfItsRim) {
  // Fixed rows on a tilted plane: the plate between them lies in it.
  const Sheet sheet;
  PlateSolver plate(sheet.neighbours, sheet.free);
  std::vector<Vec3> x;
  for (int r = 0; r < kSide; ++r)
    for (int c = 0; c < kSide; ++c) x.emplace_back(c, r, 0.3 * c - 0.7 * r);
  const std::vector<Vec3> plane = x;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (sheet.free[i]) x[i].setZero();
  plate.solve(std::vector<Vec3>(plate.rows().size(), Vec3::Zero()), x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT((x[i] - plane[i]).norm(), 1e-10);
}

}  // namespace
}  // namespace pneuma::skin::internal
