#pragma once

#include "cli/program.h"

/// Every verb of the program, one file each (verb_<name>.cpp).
namespace pneuma::cli {

/// `pneuma live`: a person who moves and breathes (verb_live.cpp).
void addLiveVerb(Program& program);
/// `pneuma body VERB`: describe, check and export a body (verb_body.cpp).
void addBodyVerb(Program& program);
/// `pneuma render FILE...`: pictures of any mesh files (verb_render.cpp).
void addRenderVerb(Program& program);
/// `pneuma act`: a body that acts by its own muscles (verb_act.cpp).
void addActVerb(Program& program);
/// `pneuma flesh`: embedded finite elements (verb_flesh.cpp).
void addFleshVerb(Program& program);
/// `pneuma move`: muscle-driven motion (verb_move.cpp).
void addMoveVerb(Program& program);
/// `pneuma muscle`: one muscle as a continuum (verb_muscle.cpp).
void addMuscleVerb(Program& program);
/// `pneuma breathe`: the breathing torso (verb_breathe.cpp).
void addBreatheVerb(Program& program);
/// `pneuma body measure` (verb_body_measure.cpp).
void addBodyMeasureVerb(Program& program, CLI::App* body);
/// `pneuma body import` and `render` (verb_body_geometry.cpp).
void addBodyGeometryVerbs(Program& program, CLI::App* body);
/// `pneuma body compile` (verb_body_compile.cpp).
void addBodyCompileVerb(Program& program, CLI::App* body);
void addBodyConvertVerb(Program& program, CLI::App* body);
/// `pneuma body strength` (verb_body_strength.cpp).
void addBodyStrengthVerb(Program& program, CLI::App* body);
/// The folder of real meshes that `body measure` and `body import` read.
void addAnatomyFolder(CLI::App* verb, std::string& folder);
/// `pneuma reproduce PAPER`: the experiments of the papers; one sub-verb per paper.
void addReproduceVerb(Program& program);
/// `pneuma curves`: the force models drawn (verb_curves.cpp).
void addCurvesVerb(Program& program);
/// `pneuma population`: many people who breathe, to learn from (verb_population.cpp).
void addPopulationVerb(Program& program);
/// `pneuma learn`: how shape follows breath, learned from people (verb_learn.cpp).
void addLearnVerb(Program& program);
/// `pneuma perform`: a person breathes by a learned model (verb_perform.cpp).
void addPerformVerb(Program& program);
/// `pneuma studio`: the living body in the browser (verb_studio.cpp).
void addStudioVerb(Program& program);
/// `pneuma fit`: an own character with our anatomy, breathing (verb_fit.cpp).
void addFitVerb(Program& program);
/// `pneuma completion bash` and the hidden `pneuma reference` (docs/commands.md is its output).
void addHelpVerbs(Program& program);

}  // namespace pneuma::cli
