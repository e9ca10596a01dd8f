#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "breath/cage/cage_forces.h"
#include "pneuma/anatomy/muscle_strength.h"

/// Scratch of a cage, sized once.
namespace pneuma::breath {
namespace {

using internal::BonePoints;

/// Those of the bone points that `used` names.
BonePoints pointsOfBones(const CageModel& m, const std::vector<bool>& used) {
  BonePoints list;
  list.start.push_back(0);
  for (std::size_t l = 0; l + 1 < m.linkPointRange.size(); ++l) {
    for (int i = m.linkPointRange[l]; i < m.linkPointRange[l + 1]; ++i)
      if (used[static_cast<std::size_t>(m.layout.boneBegin() + i)])
        list.points.push_back(m.layout.boneBegin() + i);
    list.start.push_back(static_cast<int>(list.points.size()));
  }
  return list;
}

/// Faces in the order in which inTurns would visit them.
std::vector<internal::FaceBytes> packFaces(const std::vector<Triangle>& faces) {
  std::vector<internal::FaceBytes> out;
  internal::inTurns(faces.size(), [&](std::size_t n) {
    internal::FaceBytes bytes;
    for (std::size_t k = 0; k < 3; ++k) bytes[k] = internal::bytesTo(faces[n][k]);
    out.push_back(bytes);
  });
  return out;
}

/// Which points are corners of surfaces.
std::vector<bool> cornersOf(const CageModel& m,
                            std::initializer_list<const std::vector<Triangle>*> surfaces) {
  std::vector<bool> used(static_cast<std::size_t>(m.layout.total()), false);
  for (const auto* faces : surfaces)
    for (const Triangle& f : *faces)
      for (const std::int32_t i : f) used[static_cast<std::size_t>(i)] = true;
  return used;
}

/// The same, and the points that receive what their blend collects.
std::vector<bool> receiversOf(const CageModel& m,
                              std::initializer_list<const std::vector<Triangle>*> surfaces) {
  std::vector<bool> used = cornersOf(m, surfaces);
  for (const BlendPoint& blend : m.blends)
    for (const std::int32_t i : blend.points) used[static_cast<std::size_t>(i)] = true;
  return used;
}

/// Mean of the corners of dome and wall at rest.
Vec3 middleOfGut(const CageModel& m) {
  Vec3 sum = Vec3::Zero();
  double count = 0;
  for (const auto* faces : {&m.dome, &m.wall})
    for (const Triangle& f : *faces)
      for (const std::int32_t i : f) sum += m.rest[static_cast<std::size_t>(i)], ++count;
  return count > 0 ? Vec3(sum / count) : sum;
}

}  // namespace

CageSystem::Data::Data(const CageModel& m, const skeleton::Model& t)
    : model(m), tree(t), gutCentre(middleOfGut(m)), tangent(m, t) {
  const auto total = static_cast<std::size_t>(m.layout.total());
  velocity.resize(total);
  force = gutGradient = lungGradient = velocity;
  for (std::size_t i = 0; i < total; ++i) position.emplace_back(m.rest[i]);
  positionList.resize(total);
  forceList.resize(total);

  all = pointsOfBones(m, std::vector<bool>(total, true));
  onGut = pointsOfBones(m, receiversOf(m, {&m.partition, &m.wall}));
  onLungs = pointsOfBones(m, receiversOf(m, {&m.partition, &m.cage}));
  const std::vector<bool> used = receiversOf(m, {&m.partition, &m.wall, &m.cage});
  const std::vector<bool> onPartition = cornersOf(m, {&m.partition});
  for (int i = 0; i < m.layout.fixedBegin(); ++i) {
    if (!used[static_cast<std::size_t>(i)]) continue;
    surfacePoints.push_back(i);
    if (onPartition[static_cast<std::size_t>(i)]) partitionPoints.push_back(i);
  }

  partition = packFaces(m.partition);
  wall = packFaces(m.wall);
  cage = packFaces(m.cage);

  wrench.assign(tree.links.size(), Vec6::Zero());
  gradients.fill(VecX::Zero(tree.dofCount()));
  condensed = gradients;
  rows.assign(static_cast<std::size_t>(m.layout.particles), internal::BlockCholesky::Row{});
  carried.resize(rows.size());
  change.resize(rows.size());
  limited = std::any_of(m.springs.strength.begin(), m.springs.strength.end(),
                        [](double s) { return std::isfinite(s); });
  if (limited)
    need = 1 / anatomy::strengthRatio(m.anatomy.person, anatomy::Person{},
                                      anatomy::MuscleRegion::Trunk);
  springs = internal::packSprings(m.springs, tangent.limits().leastAlong);
  tensions.assign(m.springs.size(), 0);
  lengths = m.springs.restLength;
}

void CageSystem::Data::list() {
  if (listed) return;
  listed = true;
  for (std::size_t i = 0; i < position.size(); ++i) {
    positionList.set(i, position[i].vector());
    forceList.set(i, force[i].vector());
  }
}

}  // namespace pneuma::breath
