#include "cli/verbs.h"

int main(int argc, char** argv) {
  pneuma::cli::Program program;
  pneuma::cli::addLiveVerb(program);
  pneuma::cli::addBreatheVerb(program);
  pneuma::cli::addActVerb(program);
  pneuma::cli::addFleshVerb(program);
  pneuma::cli::addMoveVerb(program);
  pneuma::cli::addMuscleVerb(program);
  pneuma::cli::addBodyVerb(program);
  pneuma::cli::addReproduceVerb(program);
  pneuma::cli::addRenderVerb(program);
  pneuma::cli::addCurvesVerb(program);
  pneuma::cli::addPopulationVerb(program);
  pneuma::cli::addLearnVerb(program);
  pneuma::cli::addPerformVerb(program);
  pneuma::cli::addStudioVerb(program);
  pneuma::cli::addFitVerb(program);
  pneuma::cli::addHelpVerbs(program);
  return program.run(argc, argv);
}
