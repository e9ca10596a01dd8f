#include "pneuma/stage/tables.h"

namespace pneuma::stage {

io::Table groupTable(const FrameTrack& track, std::string_view group) {
  io::Table table;
  table.addColumn("time", "s", track.times());
  for (const int index : track.layout().group(group)) {
    const body::FrameScalar& s = track.layout().scalars[static_cast<std::size_t>(index)];
    table.addColumn(s.name, s.unit, track.series(index));
  }
  return table;
}

void writeTables(const FrameTrack& track,
                 const std::function<std::filesystem::path(std::string_view)>& file) {
  for (const std::string& group : track.layout().groups())
    io::writeCsv(file(group + ".csv"), groupTable(track, group));
}

}  // namespace pneuma::stage
