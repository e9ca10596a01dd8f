#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "pneuma/anatomy/body.h"

namespace pneuma::anatomy {

inline constexpr const char* kCentreline = "centreline";  ///< curve of a long bone or rib

/// A point carried by a bone.
struct BodyPoint {
  int bone = -1;  ///< index in Body::bones
  Vec3 position = Vec3::Zero();
};

/// Finds the named points and curves of an expanded body. The table keeps no reference to the
/// body's landmarks: positions are resolved once, in the frame and size of the description.
class PointTable {
 public:
  /// Resolves every landmark; problems are appended to `findings`, and such points are unknown.
  PointTable(const Body& body, std::vector<Diagnostic>& findings);

  /// Index of a bone, or -1.
  int findBone(const std::string& name) const;
  const std::vector<std::string>& boneNames() const { return boneNames_; }

  /// Where a reference points to. A bare position needs a carrier: ref.bone or else `owner`.
  Result<BodyPoint> resolve(const PointRef& ref, const std::string& owner = {}) const;
  /// A direction of unit length.
  Result<Vec3> resolve(const AxisRef& ref) const;
  /// The named point "bone:point" or "bone:curve@fraction".
  Result<BodyPoint> find(const std::string& reference) const;

  /// Names of the points of a bone.
  std::vector<std::string> pointNames(int bone) const;
  /// A curve of a bone, or null.
  const std::vector<Vec3>* curve(int bone, const std::string& name) const;

 private:
  struct Pending {
    const PointRef* ref = nullptr;
    std::string bone;
    bool busy = false;
  };
  void resolvePending(const std::string& name, std::vector<Diagnostic>& findings);

  std::vector<std::string> boneNames_;
  std::unordered_map<std::string, int> boneIndex_;
  std::map<std::string, BodyPoint> points_;  // "bone:point"
  std::map<std::string, std::vector<Vec3>> curves_;
  std::map<std::string, Pending> pending_;  // while building
};

/// The place at a fraction of a polyline's length.
Vec3 pointAlong(const std::vector<Vec3>& curve, double fraction);

}  // namespace pneuma::anatomy
