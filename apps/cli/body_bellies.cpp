#include "cli/body_bellies.h"

#include <fmt/format.h>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/survey/belly_measure.h"

namespace pneuma::cli {

std::string measureBodyBellies(Program& program, const anatomy::AnatomyPack& pack,
                               const std::filesystem::path& out, nlohmann::ordered_json& j) {
  const anatomy::Body body = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  const auto progress = program.makeProgress("muscles");
  const std::vector<flesh::MeasuredBelly> bellies = flesh::measureBellies(pack, body, *progress);
  io::writeFile(out / "bellies.toml", flesh::belliesText(bellies, pack.attribution()));
  std::string text = fmt::format("{:<38} {:>22} {:>24}\n", "belly", "volume, described cm3",
                                 "tendons, described [-]");
  for (const flesh::MeasuredBelly& b : bellies) {
    j["bellies"].push_back({{"name", b.belly.name},
                            {"volume_cm3", 1e6 * b.volume},
                            {"described_cm3", 1e6 * b.described},
                            {"tendon_origin", b.start},
                            {"tendon_insertion", 1 - b.end},
                            {"described_tendon_origin", b.bellyStart},
                            {"described_tendon_insertion", 1 - b.bellyEnd}});
    text += fmt::format("{:<38} {:9.1f} {:12.1f} {:6.2f} {:5.2f} {:6.2f} {:5.2f}\n", b.belly.name,
                        1e6 * b.volume, 1e6 * b.described, b.start, 1 - b.end, b.bellyStart,
                        1 - b.bellyEnd);
  }
  return text;
}

}  // namespace pneuma::cli
