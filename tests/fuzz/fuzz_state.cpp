#include "fuzz_target.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/io/table.h"

/// The content of a checkpoint, as if its envelope had been accepted.
PNEUMA_FUZZ(content) {
  using namespace pneuma::io;
  StateReader reader(content);
  try {
    Table table;
    table.load(reader);
    std::vector<pneuma::Vec3> points;
    reader.get(points);
  } catch (const pneuma::InputError&) {
  }
}
