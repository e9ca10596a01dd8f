#include "pneuma/fit/part_maps.h"

#include <algorithm>

#include "pneuma/core/index.h"
#include "pneuma/shape/rotations.h"

namespace pneuma::fit {
namespace {

using anatomy::SkinPart;

std::size_t number(FigurePart part) {
  return static_cast<std::size_t>(part);
}
/// The right part beside a left one.
std::size_t sided(FigurePart left, std::size_t side) {
  return number(left) + side;
}

/// Stretch by `along` in a direction and `across` at right angles to it.
Mat3 stretchAlong(const Vec3& direction, double along, double across) {
  const Vec3 d = direction.normalized();
  return across * Mat3::Identity() + (along - across) * d * d.transpose();
}

/// A part from joint to joint, across by a factor of its own.
PartMap segment(const Vec3& a, const Vec3& b, const Vec3& aThere, const Vec3& bThere,
                double across) {
  const Vec3 d = b - a, there = bThere - aThere;
  return {a, aThere, Quat::FromTwoVectors(d, there).toRotationMatrix(),
          stretchAlong(d, there.norm() / d.norm(), across)};
}

/// A part that keeps its shape.
PartMap alike(const Vec3& a, const Vec3& b, const Vec3& aThere, const Vec3& bThere) {
  return segment(a, b, aThere, bThere, (bThere - aThere).norm() / (b - a).norm());
}

/// Trunk and head: upright, by their own scales.
void placeMiddle(PartMaps& maps, const FigureJoints& figure, const FoundJoints& character) {
  PartMap& trunk = maps[number(FigurePart::Trunk)];
  trunk.from = character.trunk.from, trunk.to = character.trunk.to;
  trunk.stretch = character.trunk.scale.asDiagonal();
  PartMap& head = maps[number(FigurePart::Head)];
  const double size =
      (character.joints.top.y() - character.joints.neck.y()) / (figure.top.y() - figure.neck.y());
  head.from = figure.neck, head.to = character.joints.neck;
  head.stretch = size * Mat3::Identity();
}

void placeLimbs(PartMaps& maps, const FigureJoints& f, const FigureJoints& c,
                const LimbThickness& thick) {
  for (std::size_t s = 0; s < 2; ++s) {
    maps[sided(FigurePart::UpperArmL, s)] =
        segment(f.shoulder[s], f.elbow[s], c.shoulder[s], c.elbow[s], thick.arm[s]);
    maps[sided(FigurePart::ForearmL, s)] =
        segment(f.elbow[s], f.wrist[s], c.elbow[s], c.wrist[s], thick.arm[s]);
    maps[sided(FigurePart::HandL, s)] = alike(f.wrist[s], f.hand[s], c.wrist[s], c.hand[s]);
    maps[sided(FigurePart::ThighL, s)] =
        segment(f.hip[s], f.knee[s], c.hip[s], c.knee[s], thick.leg[s]);
    maps[sided(FigurePart::ShankL, s)] =
        segment(f.knee[s], f.ankle[s], c.knee[s], c.ankle[s], thick.leg[s]);
    maps[sided(FigurePart::FootL, s)] = alike(f.ankle[s], f.toe[s], c.ankle[s], c.toe[s]);
  }
}

FigurePart partOf(SkinPart part, bool right) {
  const auto pair = [&](FigurePart left) {
    return static_cast<FigurePart>(static_cast<int>(left) + (right ? 1 : 0));
  };
  switch (part) {
    case SkinPart::Head:
      return FigurePart::Head;
    case SkinPart::UpperArm:
      return pair(FigurePart::UpperArmL);
    case SkinPart::Forearm:
      return pair(FigurePart::ForearmL);
    case SkinPart::Hand:
      return pair(FigurePart::HandL);
    case SkinPart::Thigh:
      return pair(FigurePart::ThighL);
    case SkinPart::Shank:
      return pair(FigurePart::ShankL);
    case SkinPart::Foot:
      return pair(FigurePart::FootL);
    default:
      return FigurePart::Trunk;
  }
}

}  // namespace

LimbThickness limbThickness(const BodyMeasures& figure, const BodyMeasures& character) {
  const auto ratio = [](const LimbBands& a, const LimbBands& b) {
    const auto mean = [](const LimbBands& l) {
      return l.meanRadius(l.tip, l.tip + 0.7 * (l.root - l.tip));
    };
    return mean(b) / mean(a);
  };
  LimbThickness t;
  for (std::size_t s = 0; s < 2; ++s) {
    t.arm[s] = ratio(figure.arms[s], character.arms[s]);
    t.leg[s] = ratio(figure.legs[s], character.legs[s]);
  }
  return t;
}

PartMaps posedParts(const FigureJoints& figure, const FoundJoints& character,
                    const LimbThickness& thickness) {
  PartMaps maps;
  placeMiddle(maps, figure, character);
  placeLimbs(maps, figure, character.joints, thickness);
  return maps;
}

PartMaps restParts(const FigureJoints& figure, const FoundJoints& character,
                   const LimbThickness& thickness, FigureJoints* joints) {
  FigureJoints rest = character.joints;
  const auto hang = [](Vec3& end, const Vec3& start, const Vec3& a, const Vec3& b, double length) {
    end = start + length * (b - a).normalized();
  };
  const FigureJoints& c = character.joints;
  for (std::size_t s = 0; s < 2; ++s) {
    const auto length = [](const Vec3& a, const Vec3& b) { return (a - b).norm(); };
    hang(rest.elbow[s], rest.shoulder[s], figure.shoulder[s], figure.elbow[s],
         length(c.shoulder[s], c.elbow[s]));
    hang(rest.wrist[s], rest.elbow[s], figure.elbow[s], figure.wrist[s],
         length(c.elbow[s], c.wrist[s]));
    hang(rest.hand[s], rest.wrist[s], figure.wrist[s], figure.hand[s],
         length(c.wrist[s], c.hand[s]));
    hang(rest.knee[s], rest.hip[s], figure.hip[s], figure.knee[s], length(c.hip[s], c.knee[s]));
    hang(rest.ankle[s], rest.knee[s], figure.knee[s], figure.ankle[s],
         length(c.knee[s], c.ankle[s]));
    hang(rest.toe[s], rest.ankle[s], figure.ankle[s], figure.toe[s], length(c.ankle[s], c.toe[s]));
  }
  PartMaps maps;
  placeMiddle(maps, figure, character);
  placeLimbs(maps, figure, rest, thickness);
  if (joints) *joints = rest;
  return maps;
}

PartWeights partWeights(const anatomy::SkinSurface& skin, int spread) {
  PartWeights w;
  const std::size_t n = skin.mesh.vertexCount();
  w.vertices.assign(n, {});
  for (std::size_t v = 0; v < n; ++v)
    w.vertices[v][number(partOf(skin.parts[v], skin.mesh.positions[v].x() < 0))] = 1;
  std::vector<std::vector<std::int32_t>> neighbours(n);
  for (const Triangle& t : skin.mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) neighbours[at(t[k])].push_back(t[(k + 1) % 3]);
  for (int round = 0; round < spread; ++round) {
    const auto before = w.vertices;
    for (std::size_t v = 0; v < n; ++v) {
      const double share = 1.0 / (1 + static_cast<double>(neighbours[v].size()));
      for (std::size_t p = 0; p < kFigureParts; ++p) {
        double sum = before[v][p];
        for (const std::int32_t u : neighbours[v]) sum += before[at(u)][p];
        w.vertices[v][p] = share * sum;
      }
    }
  }
  return w;
}

std::vector<Vec3> carried(const std::vector<Vec3>& positions, const PartWeights& weights,
                          const PartMaps& maps) {
  std::vector<Vec3> result(positions.size(), Vec3::Zero());
  for (std::size_t v = 0; v < positions.size(); ++v)
    for (std::size_t p = 0; p < kFigureParts; ++p)
      if (const double w = weights.vertices[v][p]; w > 0) result[v] += w * maps[p](positions[v]);
  return result;
}

std::vector<Mat3> turnsBetween(const PartWeights& weights, const PartMaps& from,
                               const PartMaps& to) {
  std::array<Mat3, kFigureParts> turn;
  for (std::size_t p = 0; p < kFigureParts; ++p)
    turn[p] = to[p].rotation * from[p].rotation.transpose();
  std::vector<Mat3> result;
  result.reserve(weights.vertices.size());
  for (const auto& w : weights.vertices) {
    Mat3 sum = Mat3::Zero();
    for (std::size_t p = 0; p < kFigureParts; ++p) sum += w[p] * turn[p];
    result.push_back(shape::nearestProperRotation(sum));
  }
  return result;
}

}  // namespace pneuma::fit
