#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "pneuma/io/table.h"
#include "pneuma/stage/frame_track.h"

namespace pneuma::stage {

/// One group of scalars over time: a column `time [s]`, then one per scalar with its unit.
io::Table groupTable(const FrameTrack& track, std::string_view group);

/// All groups, each as `<group>.csv` at the place that `file` names.
void writeTables(const FrameTrack& track,
                 const std::function<std::filesystem::path(std::string_view)>& file);

}  // namespace pneuma::stage
