#include "skin/layout.h"

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/points.h"
#include "pneuma/core/error.h"

namespace pneuma::skin::internal {
namespace {

using anatomy::SkinContour;
using anatomy::SkinPiece;
using anatomy::SkinPieceKind;

[[noreturn]] void fail(const anatomy::Described& entry, const std::string& subject,
                       const std::string& field, const std::string& message,
                       const std::string& expected) {
  const auto it = entry.fieldOrigins.find(field);
  throw InputError(
      Diagnostic{.where = (it == entry.fieldOrigins.end() ? entry.where : it->second).position(),
                 .subject = subject,
                 .field = field,
                 .message = message,
                 .expected = expected});
}

Mat3 planeFrame(const Vec3& normal) {
  Mat3 frame;
  frame.col(2) = normal.normalized();
  const Vec3 front = Vec3::UnitZ();
  frame.col(1) = (front - front.dot(frame.col(2)) * frame.col(2)).normalized();
  frame.col(0) = frame.col(2).cross(frame.col(1));
  return frame;
}

class Compiler {
 public:
  Compiler(const anatomy::Body& body, const BoneLinks& links)
      : body_(body), links_(links), points_(body, findings_) {}

  Contour contour(const SkinContour& c) const {
    Contour result;
    result.name = c.name;
    result.center = points_.resolve(c.center).valueOrThrow().position;
    result.frame = planeFrame(points_.resolve(c.normal).valueOrThrow());
    for (const std::string& g : c.groups)
      result.groups.push_back(
          static_cast<int>(std::ranges::find(body_.skinGroups, g, &anatomy::SkinGroup::name) -
                           body_.skinGroups.begin()));
    result.follow = c.follow;
    result.aspect = c.aspect;
    result.tight = c.tight;
    result.twist = c.twist;
    double sum = 0;
    for (std::size_t i = 0; i < c.links.size(); ++i) {
      const int link = links_(c.links[i]);
      const double share = c.shares.empty() ? 1.0 / double(c.links.size()) : c.shares[i];
      const double twist = i + 1 == c.links.size() ? c.twist : 1.0;
      result.shares[2 * link] += share * twist;
      result.shares[2 * link + 1] += share * (1 - twist);
      sum += share;
    }
    if (std::abs(sum - 1) > 1e-6)
      fail(c, "skin_contour '" + c.name + "'", "shares", "do not add up to 1", "a sum of 1");
    return result;
  }

  std::vector<Turn> turns(const SkinPiece& p) const { return makeTurns(p.turns, points_, links_); }

  /// The described contours of a piece and those in between.
  std::vector<Contour> chain(const std::string& piece) const {
    std::vector<const SkinContour*> keys;
    for (const SkinContour& c : body_.skinContours)
      if (std::ranges::find(c.pieces, piece) != c.pieces.end()) keys.push_back(&c);
    std::vector<Contour> all, result;
    for (const SkinContour* key : keys) all.push_back(contour(*key));
    for (std::size_t k = 0; k < all.size(); ++k) {
      result.push_back(all[k]);
      if (k + 1 == all.size()) break;
      const int steps = keys[k]->between + 1;
      for (int s = 1; s < steps; ++s)
        result.push_back(between(all, k, static_cast<double>(s) / steps));
    }
    return result;
  }

 private:
  static Contour between(const std::vector<Contour>& all, std::size_t k, double t) {
    const Contour &a = all[k], &b = all[k + 1];
    Contour c = a;
    const Vec3& before = all[k > 0 ? k - 1 : k].center;
    const Vec3& after = all[std::min(k + 2, all.size() - 1)].center;
    // Catmull-Rom through the centres.
    c.center = 0.5 * (2 * a.center + t * (b.center - before) +
                      t * t * (2 * before - 5 * a.center + 4 * b.center - after) +
                      t * t * t * (3 * a.center - before - 3 * b.center + after));
    const Quat turn = Quat::FromTwoVectors(a.frame.col(2), b.frame.col(2));
    c.frame = planeFrame(Quat::Identity().slerp(t, turn) * a.frame.col(2));
    for (const int g : b.groups)
      if (std::ranges::find(c.groups, g) == c.groups.end()) c.groups.push_back(g);
    c.follow = (1 - t) * a.follow + t * b.follow;
    c.aspect = (1 - t) * a.aspect + t * b.aspect;
    c.tight = (1 - t) * a.tight + t * b.tight;
    c.twist = (1 - t) * a.twist + t * b.twist;
    for (auto& entry : c.shares) entry.second *= 1 - t;
    for (const auto& [carrier, share] : b.shares) c.shares[carrier] += t * share;
    return c;
  }

  const anatomy::Body& body_;
  const BoneLinks& links_;
  std::vector<Diagnostic> findings_;
  anatomy::PointTable points_;
};

int trunkIndex(const std::vector<Contour>& trunk, const std::string& name) {
  for (std::size_t i = 0; i < trunk.size(); ++i)
    if (trunk[i].name == name) return static_cast<int>(i);
  return -1;
}

void checkPieces(const anatomy::Body& body) {
  std::array<int, 5> count{};
  for (const SkinPiece& p : body.skinPieces) ++count[static_cast<std::size_t>(p.kind)];
  if (count != std::array{1, 1, 1, 2, 2})
    throw InputError(Diagnostic{
        .subject = "body '" + body.name + "'",
        .field = "skin_piece",
        .message = "does not describe a whole skin",
        .expected = "seven pieces: torso_front, torso_back, hip, two arms and two legs"});
}

}  // namespace

std::vector<Turn> makeTurns(const std::vector<anatomy::SkinTurn>& turns,
                            const anatomy::PointTable& points, const BoneLinks& links) {
  std::vector<Turn> result;
  for (const anatomy::SkinTurn& t : turns)
    result.push_back({links(t.link), points.resolve(t.center).valueOrThrow().position,
                      points.resolve(t.direction).valueOrThrow(), t.width});
  return result;
}

Layout makeLayout(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                  const skeleton::Model& model) {
  checkPieces(body);
  const BoneLinks links(compiled, model);
  const Compiler compiler(body, links);
  Layout layout;
  for (const SkinPiece& p : body.skinPieces) {
    const std::vector<Contour> chain = compiler.chain(p.name);
    if (chain.empty())
      fail(p, "skin_piece '" + p.name + "'", "name", "has no contour", "at least one");
    if (p.kind == SkinPieceKind::TorsoFront) {
      layout.trunk = chain;
      layout.columns = 2 * p.columns;
    } else if (p.kind == SkinPieceKind::Hip) {
      layout.crotch = chain.front();
      for (const SkinContour& c : body.skinContours)
        if (c.name == chain.front().name) layout.hipRows = c.between;
    }
  }
  for (const SkinPiece& p : body.skinPieces) {
    if (p.kind != SkinPieceKind::Arm && p.kind != SkinPieceKind::Leg) continue;
    LimbLayout limb;
    limb.name = p.name;
    limb.arm = p.kind == SkinPieceKind::Arm;
    limb.contours = compiler.chain(p.name);
    limb.turns = compiler.turns(p);
    limb.side = limb.contours.front().center.x() < 0 ? -1 : 1;
    if (limb.arm) {
      if (p.opening.size() != 2)
        fail(p, "skin_piece '" + p.name + "'", "opening", "is not given",
             "two contours of the trunk");
      limb.openingLow = trunkIndex(layout.trunk, p.opening[0]);
      limb.openingHigh = trunkIndex(layout.trunk, p.opening[1]);
      limb.openingWidth = p.openingWidth;
      if (limb.openingLow < 0 || limb.openingHigh < limb.openingLow + 2 ||
          limb.openingWidth % 2 != 0 || limb.openingWidth >= layout.columns / 2)
        fail(p, "skin_piece '" + p.name + "'", "opening", "is no opening of the trunk",
             "a lower and a higher contour, and an even width below half of the columns");
    } else {
      layout.crotchColumns = p.columns;
    }
    layout.limbs.push_back(std::move(limb));
  }
  return layout;
}

}  // namespace pneuma::skin::internal
