#pragma once

#include <algorithm>
#include <array>

#include "pneuma/breath/cage_system.h"
#include "pneuma/io/state_blob.h"

/// What a session does with the drive of its breathing muscles.
namespace pneuma::stage::internal {

/// The groups of breathing muscles, each with its channels.
struct DriveGroup {
  const char* name;
  int first, count;
};
inline constexpr std::array<DriveGroup, 7> kDriveGroups{
    {{"diaphragm", breath::channel::kDiaphragm, 1},
     {"external", breath::channel::kExternal, 9},
     {"internal", breath::channel::kInternal, 9},
     {"scalene", breath::channel::kScalene, 1},
     {"levator", breath::channel::kLevator, 9},
     {"rectus", breath::channel::kRectus, 1},
     {"transverse", breath::channel::kTransverse, 1}}};

/// Mean shortening 1 - r that a group is asked for [-].
inline double contractionOf(const breath::MuscleDrive& drive, const DriveGroup& group) {
  double sum = 0;
  for (int c = group.first; c < group.first + group.count; ++c)
    sum += 1 - drive.ratio[static_cast<std::size_t>(c)];
  return sum / group.count;
}

/// What is added to a new way to breathe so that it begins where the old one was.
struct DriveOffset {
  std::array<double, breath::channel::kCount> alpha{}, ratio{};

  static DriveOffset between(const breath::MuscleDrive& from, const breath::MuscleDrive& to) {
    DriveOffset d;
    for (std::size_t c = 0; c < d.alpha.size(); ++c) {
      d.alpha[c] = from.alpha[c] - to.alpha[c];
      d.ratio[c] = from.ratio[c] - to.ratio[c];
    }
    return d;
  }
  void addTo(breath::MuscleDrive& drive, double part) const {
    for (std::size_t c = 0; c < alpha.size(); ++c) {
      drive.alpha[c] = std::clamp(drive.alpha[c] + part * alpha[c], 0.0, 1.0);
      drive.ratio[c] = std::max(0.0, drive.ratio[c] + part * ratio[c]);
    }
  }
};

/// Channels alone: nobody holds a session's airway.
template <class Drive>
void saveDrive(const Drive& drive, io::StateWriter& out) {
  out.put(drive.alpha);
  out.put(drive.ratio);
}
template <class Drive>
void loadDrive(Drive& drive, io::StateReader& in) {
  in.get(drive.alpha);
  in.get(drive.ratio);
}

}  // namespace pneuma::stage::internal
