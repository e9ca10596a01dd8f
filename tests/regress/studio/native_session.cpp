// native_session BODY.pnb: what session.mjs lets the WebAssembly do, done natively; volumes over a
// minute as JSON.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "pneuma/core/error.h"
#include "pneuma/io/file.h"
#include "pneuma/stage/body_pack.h"
#include "pneuma/stage/session.h"

int main(int argc, char** argv) {
  using namespace pneuma;
  if (argc != 2) return 2;
  try {
    stage::BodyPack pack = stage::decodePack(io::readFile(argv[1]).valueOrThrow());
    stage::Session session(stage::packedBody(pack), pack.person,
                           {.framesPerSecond = 1, .recordSeconds = 2}, {.style = "casual"},
                           pack.shapes);
    const auto volume =
        static_cast<std::size_t>(session.layout().scalarIndex("breath", "lung_volume"));
    nlohmann::ordered_json j;
    for (int i = 0; i < 120; ++i) {
      if (i == 60) session.set({.style = "deep", .effort = 1.2});
      session.advance(0.5);
      j["volumes"].push_back(session.frame().scalars[volume]);
    }
    const body::Frame frame = session.frame();
    const auto skin = frame.pointsOf(session.layout(), session.layout().pointSetIndex("skin"));
    for (std::size_t v = 0; v < skin.size(); v += 97)
      for (int k = 0; k < 3; ++k) j["skin"].push_back(skin[v][k]);
    j["hash"] = session.stateHash();
    std::puts(j.dump().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
