#include "fuzz_target.h"
#include "mesh_promises.h"

PNEUMA_FUZZ(content) {
  pneuma::io::checkMeshPromises(content, ".stl");
}
