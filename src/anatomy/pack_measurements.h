#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pneuma/anatomy/measure_pack.h"

namespace pneuma::anatomy::internal {

/// What a folder states about itself in `measurements.json`: joint centres by contact, disc
/// centres, rib centrelines (see the folder's README). In the body frame, left and mirrored right
/// averaged.
class PackMeasurements {
 public:
  /// Throws InputError when the file is missing or no JSON object.
  explicit PackMeasurements(const AnatomyPack& pack);

  bool has(const std::string& section, const std::string& key, const std::string& field) const;
  /// A point as stated [m]. Throws InputError naming what is missing.
  Vec3 point(const std::string& section, const std::string& key, const std::string& field) const;
  /// A point of the middle: x = 0.
  Vec3 middle(const std::string& section, const std::string& key, const std::string& field) const;
  /// Mean of `key_l` and the mirror image of `key_r`.
  Vec3 paired(const std::string& section, const std::string& key, const std::string& field) const;
  /// The same of two fields of one entry: `field_l`, `field_r`.
  Vec3 pairedField(const std::string& section, const std::string& key,
                   const std::string& field) const;
  std::vector<Vec3> pairedLine(const std::string& section, const std::string& key,
                               const std::string& field) const;
  double number(const std::string& section, const std::string& key, const std::string& field) const;
  /// Centroid of a mesh as the manifest states it would be measured here: mean of left and right.
  Vec3 centroid(const std::string& part) const;
  /// A mesh of the folder in the frame of these measurements.
  TriangleMesh mesh(const std::string& part) const;
  const AnatomyPack& pack() const { return pack_; }

 private:
  const nlohmann::json& entry(const std::string& section, const std::string& key,
                              const std::string& field) const;
  Vec3 toBody(const nlohmann::json& p, const std::string& what) const;

  const AnatomyPack& pack_;
  nlohmann::json json_;
  double midPlane_ = 0, sole_ = 0;  ///< [mm]
};

}  // namespace pneuma::anatomy::internal
