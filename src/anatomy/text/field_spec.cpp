#include "anatomy/text/field_spec.h"

namespace pneuma::anatomy::internal {

std::vector<double> toRow(const SweepSection& s) {
  std::vector<double> row{s.center.x(), s.center.y(), s.center.z(), s.radiusA, s.radiusB};
  if (!s.reference.isZero())
    row.insert(row.end(), {s.reference.x(), s.reference.y(), s.reference.z()});
  return row;
}

std::vector<double> toRow(const ProfileSection& s) {
  std::vector<double> row{s.center.x(), s.center.y(), s.center.z(), s.meanRadius};
  for (std::size_t k = 0; k < s.cosine.size(); ++k) {
    row.push_back(s.cosine[k]);
    row.push_back(s.sine[k]);
  }
  return row;
}

std::vector<double> toRow(const PlateNode& n) {
  return {n.point.x(), n.point.y(), n.point.z(), n.thickness};
}

std::vector<double> toRow(const RadiusRow& r) {
  return r.radii;
}

void fromRow(const std::vector<double>& row, RadiusRow& r) {
  r.radii = row;
}

std::vector<RadiusRow> toRows(const RadialTable& table) {
  const std::size_t rows = table.parameters().size();
  if (rows == 0 || table.radii.size() % rows != 0) return {};
  const std::size_t columns = table.radii.size() / rows;
  std::vector<RadiusRow> list;
  for (auto row = table.radii.begin(); row != table.radii.end();
       row += static_cast<std::ptrdiff_t>(columns))
    list.push_back({{row, row + static_cast<std::ptrdiff_t>(columns)}});
  return list;
}

void fromRow(const std::vector<double>& row, SweepSection& s) {
  s.center = Vec3(row[0], row[1], row[2]);
  s.radiusA = row[3];
  s.radiusB = row[4];
  s.reference = row.size() == 8 ? Vec3(row[5], row[6], row[7]) : Vec3::Zero();
}

void fromRow(const std::vector<double>& row, ProfileSection& s) {
  s.center = Vec3(row[0], row[1], row[2]);
  s.meanRadius = row[3];
  s.cosine.clear();
  s.sine.clear();
  for (std::size_t i = 4; i + 1 < row.size(); i += 2) {
    s.cosine.push_back(row[i]);
    s.sine.push_back(row[i + 1]);
  }
}

void fromRow(const std::vector<double>& row, PlateNode& n) {
  n.point = Vec3(row[0], row[1], row[2]);
  n.thickness = row[3];
}

Vec3 rotationVector(const Mat3& rotation) {
  const Eigen::AngleAxisd turn(rotation);
  Vec3 v = turn.axis() * turn.angle();
  // A half turn has two spellings; take the one whose first component is positive.
  if (turn.angle() > kPi - 1e-9) {
    const Vec3 a = turn.axis();
    const double lead = std::abs(a.x()) > 1e-9 ? a.x() : std::abs(a.y()) > 1e-9 ? a.y() : a.z();
    if (lead < 0) v = -v;
  }
  return v;
}

Mat3 rotationMatrix(const Vec3& vector) {
  const double angle = vector.norm();
  if (angle == 0) return Mat3::Identity();
  return Eigen::AngleAxisd(angle, vector / angle).toRotationMatrix();
}

}  // namespace pneuma::anatomy::internal

namespace pneuma::anatomy {

bool belongsTo(const Muscle& muscle, std::string_view set) {
  const std::size_t colon = set.find(':');
  if (muscle.set != set.substr(0, colon)) return false;
  return colon == std::string_view::npos ||
         internal::enumValue<MuscleRegion>(set.substr(colon + 1)) == muscle.region;
}

}  // namespace pneuma::anatomy
