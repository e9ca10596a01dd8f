#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/core/error.h"
#include "pneuma/core/types.h"

namespace pneuma::io {

/// Recorded motion of a joint tree (Biovision hierarchy).
///
/// Lengths keep the file's unit and angles its degrees in `frames`; poses() converts angles, and
/// `scale` gives metres. Joints come parents first. An end site is a joint without channels, named
/// after its parent with "_end".
enum class BvhChannel { Xposition, Yposition, Zposition, Xrotation, Yrotation, Zrotation };

/// A joint of a clip, or the tip of a last segment.
struct BvhJoint {
  std::string name;
  int parent = -1;
  Vec3 offset = Vec3::Zero();  ///< from the parent's origin [file unit]
  std::vector<BvhChannel> channels;
  std::size_t firstChannel = 0;  ///< where its values begin in a frame
  bool isEnd = false;
};

/// A motion clip: a skeleton and its joints' values over time, in the units of the file.
struct Bvh {
  std::vector<BvhJoint> joints;
  std::size_t channelCount = 0;  ///< values per frame
  std::size_t frameCount = 0;
  double frameTime = 0;        ///< [s]
  std::vector<double> frames;  ///< frameCount x channelCount, as in the file

  std::span<const double> frame(std::size_t i) const {
    return std::span(frames).subspan(i * channelCount, channelCount);
  }
  /// Index of a joint; throws InputError naming the nearest one.
  int find(std::string_view name) const;
  /// World pose of every joint in a frame, lengths times `scale` (metres per file unit). Rotations
  /// apply in the order of the channels, R = R_1 R_2 R_3.
  ///
  /// Reading: the format does not say whether a position channel adds to OFFSET. Writers agree that
  /// it adds at the root (whose offset is nearly always zero) and that below the root, where it
  /// exists at all, it is the whole distance to the parent; so do we.
  std::vector<Pose> poses(std::size_t frame, double scale = 1) const;
};

/// Any tree, any channel order and number, CR LF, numbers like `.0083`, several roots. Errors carry
/// the line and what was expected there.
Result<Bvh> readBvh(const std::filesystem::path& path);
Result<Bvh> parseBvh(std::string_view content, const std::string& file);

}  // namespace pneuma::io
