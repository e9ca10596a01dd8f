#include "anatomy/skin/skin_relief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "anatomy/shape/smooth_step.h"
#include "pneuma/core/error.h"

namespace pneuma::anatomy::internal {
namespace {

/// Axes run through the middle of trunk, leg and arm of the measured man.
const std::array<ReliefFrame, 3> kFrames{
    {{"skin_relief_trunk",
      false,
      0.8,
      1.41,
      true,
      192,
      140,
      {Vec3(0, 0.8, 0.085), Vec3(0, 1.1, 0.095), Vec3(0, 1.3, 0.08), Vec3(0, 1.41, 0.075)}},
     {"skin_relief_leg_l",
      false,
      0.1,
      0.86,
      false,
      170,
      96,
      {Vec3(0.082, 0.1, 0.052), Vec3(0.078, 0.3, 0.05), Vec3(0.076, 0.45, 0.06),
       Vec3(0.09, 0.86, 0.085)}},
     {"skin_relief_arm_l",
      true,
      0.84,
      1.29,
      false,
      90,
      64,
      {Vec3(0.252, 0.84, 0.105), Vec3(0.208, 1.075, 0.062), Vec3(0.195, 1.15, 0.063),
       Vec3(0.17, 1.29, 0.068)}}}};

/// How much each table counts at a place: they change over into one another at the groin, and end
/// at neck and shoulder, where head and arm are joined.
double shareAt(const ReliefFrame& frame, const Vec3& p) {
  const double y = p.y(), x = std::abs(p.x());
  if (frame.arm) return 1 - smoothStep(1.1, 1.18, y);
  const double above = smoothStep(0.8, 0.85, y);
  if (!frame.half) {
    // Between the thighs the two halves of the body only touch.
    const double between = smoothStep(0.012, 0.04, x) + smoothStep(0.62, 0.56, y);
    return (1 - above) * std::min(1.0, between);
  }
  // Beside the armpit the measured trunk is a cut.
  const double shoulder = smoothStep(0.105, 0.135, x) * smoothStep(1.08, 1.15, y);
  const double neck = smoothStep(1.375, 1.41, y);
  return above * (1 - neck) * (1 - shoulder);
}

}  // namespace

std::span<const ReliefFrame> reliefFrames() {
  return kFrames;
}

Vec3 ReliefFrame::axisAt(double height) const {
  std::size_t k = 0;
  while (k + 2 < axis.size() && axis[k + 1].y() < height) ++k;
  const double s = (height - axis[k].y()) / (axis[k + 1].y() - axis[k].y());
  Vec3 p = axis[k] + std::clamp(s, 0.0, 1.0) * (axis[k + 1] - axis[k]);
  p.y() = height;
  return p;
}

double ReliefFrame::angleOf(int column) const {
  return half ? kPi * column / (columns - 1) : 2 * kPi * column / columns;
}

Vec2 ReliefFrame::placeOf(const Vec3& p) const {
  const Vec3 d = Vec3(std::abs(p.x()), p.y(), p.z()) - axisAt(p.y());
  double angle = std::atan2(d.x(), d.z());
  if (!half && angle < 0) angle += 2 * kPi;
  const double column = half ? angle / kPi * (columns - 1) : angle / (2 * kPi) * columns;
  return {column, (p.y() - low) / (high - low) * (rows - 1)};
}

ShapePart packedHeights(const ReliefFrame& frame, std::span<const double> heights) {
  ShapePart part;
  part.kind = ShapeKind::Plate;
  part.rows = frame.rows, part.columns = (frame.columns + 2) / 3;
  for (int i = 0; i < frame.rows; ++i)
    for (int j = 0; j < 3 * part.columns; j += 3) {
      Vec3& p = part.grid.emplace_back(Vec3::Zero());
      for (int k = 0; k < 3 && j + k < frame.columns; ++k)
        p[k] = heights[static_cast<std::size_t>(i * frame.columns + j + k)];
    }
  return part;
}

std::vector<double> unpackedHeights(const ReliefFrame& frame, const ShapePart& part) {
  const int columns = (frame.columns + 2) / 3;
  if (part.rows != frame.rows || part.columns != columns)
    throw InputError(fmt::format("skin: the table '{}' must have {} rows of {} columns",
                                 frame.piece, frame.rows, columns));
  std::vector<double> heights;
  for (int i = 0; i < frame.rows; ++i)
    for (int j = 0; j < frame.columns; ++j)
      heights.push_back(part.grid[static_cast<std::size_t>(i * columns + j / 3)][j % 3]);
  return heights;
}

SkinRelief::SkinRelief(std::span<const std::pair<std::string, BoneShape>> pieces, bool arm) {
  for (const auto& [name, shape] : pieces)
    for (const ReliefFrame& frame : kFrames)
      if (frame.piece == name && frame.arm == arm)
        tables_.push_back({&frame, unpackedHeights(frame, shape.parts.front())});
  if (arm) return;
  for (const auto& [name, shape] : pieces)
    if (name.starts_with("skin_mark"))
      for (const ShapePart& part : shape.parts)
        marks_.push_back({part, name.find("nipple") != name.npos});
}

void SkinRelief::moveNipple(const Vec3& to, const Vec3& outwards) {
  for (Mark& m : marks_) {
    if (!m.nipple) continue;
    m.part.center = to;
    m.part.rotation.col(2) = outwards;
    m.part.rotation.col(0) = Vec3::UnitY().cross(outwards).normalized();
    m.part.rotation.col(1) = outwards.cross(m.part.rotation.col(0));
  }
}

double SkinRelief::marks(const Vec3& q) const {
  constexpr double kThrough = 0.06;  // a mark reaches as deep and high as fat may move it [m]
  double sum = 0;
  for (const Mark& m : marks_) {
    const Vec3 d = Vec3(std::abs(q.x()), q.y(), q.z()) - m.part.center;
    if (d.squaredNorm() > kThrough * kThrough) continue;
    const Vec3 local = m.part.rotation.transpose() * d;
    const double rest =
        1 - std::pow(local.x() / m.part.radii.x(), 2) - std::pow(local.y() / m.part.radii.y(), 2);
    if (rest <= 0) continue;
    const double h = m.part.radii.z() * rest * rest;
    sum += m.part.operation == ShapeOperation::Subtract ? -h : h;
  }
  return sum;
}

double SkinRelief::height(const Table& table, const Vec3& p) {
  const ReliefFrame& f = *table.frame;
  const Vec2 q = f.placeOf(p);
  const double x = f.half ? std::clamp(q.x(), 0.0, f.columns - 1.0) : q.x(),
               y = std::clamp(q.y(), 0.0, f.rows - 1.0);
  const int i = std::min(static_cast<int>(y), f.rows - 2);
  const int j = f.half ? std::min(static_cast<int>(x), f.columns - 2) : static_cast<int>(x);
  const double u = x - j, v = y - i;
  const auto at = [&](int row, int column) {
    return table.heights[static_cast<std::size_t>(row * f.columns + column % f.columns)];
  };
  return (1 - v) * ((1 - u) * at(i, j) + u * at(i, j + 1)) +
         v * ((1 - u) * at(i + 1, j) + u * at(i + 1, j + 1));
}

double SkinRelief::at(const Vec3& p) const {
  double sum = 0;
  for (const Table& table : tables_)
    if (const double share = shareAt(*table.frame, p); share > 0) sum += share * height(table, p);
  return sum;
}

}  // namespace pneuma::anatomy::internal
