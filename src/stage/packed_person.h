#pragma once

#include "pneuma/anatomy/person_map.h"
#include "pneuma/stage/body_pack.h"

namespace pneuma::stage::internal {

/// The map of a person where trunk and arm pass into each other.
class BlendedMap {
 public:
  BlendedMap(const anatomy::Body& measured, const anatomy::Person& person)
      : map_(measured, person) {}

  const anatomy::PersonMap& map() const { return map_; }
  /// From the subject to the person; `arm` the arm's share.
  Vec3 operator()(const Vec3& p, double arm) const;
  /// The place of the subject that goes to x: Newton, from the place of the nearer branch.
  Vec3 toSubject(const Vec3& x, double arm) const;

 private:
  anatomy::PersonMap map_;
};

}  // namespace pneuma::stage::internal
