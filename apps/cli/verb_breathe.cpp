#include <fmt/format.h>

#include <memory>

#include "cli/breath_options.h"
#include "cli/verbs.h"
#include "pneuma/core/error.h"

namespace pneuma::cli {
namespace {

struct BreatheCommand {
  BreathOptions options;
  bool noOutput = false;

  void run(Program& program) const {
    const breath::BreathSettings settings = options.settings();
    const double seconds = options.seconds(settings);
    breath::BreathSimulation simulation(settings);
    auto progress = program.makeProgress("s simulated");
    progress->begin("breathing", seconds);
    simulation.run(seconds, [&](double t) { progress->update(t); });
    progress->end();
    program.print(toJson(simulation), summaryText(simulation));
  }
};

}  // namespace

void addBreatheVerb(Program& program) {
  CLI::App* verb = program.addVerb("breathe", "Simulate a breathing torso and show it",
                                   "pneuma breathe --style deep --seconds 10 --no-output");
  auto command = std::make_shared<BreatheCommand>();
  command->options.addTo(verb);
  verb->add_flag("--no-output", command->noOutput, "Only simulate and print the measures");
  verb->callback([command, &program] { command->run(program); });
}

}  // namespace pneuma::cli
