#include "cli/verbs.h"

namespace pneuma::cli {

void addReproduceVerb(Program& program) {
  CLI::App* reproduce = program.addVerb(
      "reproduce", "Run a paper's own experiments and put its numbers beside ours", "");
  reproduce->require_subcommand(1);
  addReproduceDobsik(program, reproduce);
  addReproduceZordan2005(program, reproduce);
  addReproduceNedel2000(program, reproduce);
}

}  // namespace pneuma::cli
