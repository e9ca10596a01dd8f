#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

/// A folder of real anatomical meshes with a manifest.
namespace pneuma::survey {

/// One part of the folder as its manifest lists it.
struct PackPart {
  std::string name;            ///< our name, after the name table
  std::string key;             ///< the manifest's name
  std::string kind;            ///< bone, cartilage, muscle, connective, organ, skin...
  std::string side;            ///< "left", "right" or "mid"
  std::filesystem::path file;  ///< mesh file, PLY/OBJ/STL
  double volume = 0;           ///< as stated [m^3], 0 when not stated
};

/// Reads `manifest.json` (fields: units "mm" | "m", axes.midsagittal_plane_x_mm, parts[] with key,
/// file, side, class). Meshes come out in the body frame: +Y up, +Z front, +X left, metres, the
/// mid-plane at x = 0 and the sole at y = 0.
///
/// A file `names.toml` in the folder, where present, maps manifest names to ours
/// (`[names]` with `"their name" = "our_name"`).
class AnatomyPack {
 public:
  /// Throws InputError when the folder or its manifest cannot be read.
  explicit AnatomyPack(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  /// What is taken off a mesh's coordinates: mid-plane and sole [m].
  Vec3 origin() const { return unit_ * Vec3(midPlane_, floor_, 0); }
  const std::string& attribution() const { return attribution_; }
  const std::vector<PackPart>& parts() const { return parts_; }
  bool has(const std::string& name) const { return index_.contains(name); }
  /// Throws InputError naming the nearest name.
  const PackPart& part(const std::string& name) const;
  TriangleMesh mesh(const std::string& name) const;

 private:
  void readNames();

  std::filesystem::path folder_;
  std::string attribution_;
  double unit_ = 1e-3, midPlane_ = 0, floor_ = 0;  // in the folder's own frame
  std::vector<PackPart> parts_;
  std::map<std::string, std::size_t> index_;
};

}  // namespace pneuma::survey
