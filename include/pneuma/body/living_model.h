#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/breath/cage_model.h"
#include "pneuma/flesh/belly_system.h"
#include "pneuma/flesh/grid_link_system.h"
#include "pneuma/flesh/sealed_link_system.h"
#include "pneuma/skeleton/link_element.h"
#include "pneuma/skeleton/model.h"

/// The living body: one tree of links, and the soft parts that join its step.
namespace pneuma::body {

/// What is simulated of a body.
struct LivingOptions {
  std::string articulation = "whole";  ///< one that carries vertebrae, ribs and sternum
  breath::TorsoConfig cage = livingCage();
  /// Muscle bellies that swing with the body and pull at its bones; absent: their mass is the
  /// links'.
  std::optional<flesh::BodyBellyConfig> bellies;
  /// Muscles that are continuum solids between their bones.
  std::vector<flesh::GridMuscleRequest> gridMuscles;
  /// Pectorals and shoulders as sealed bodies that pull at their bones (breath/shoulder_bodies.h);
  /// not beside bellies, which are the same muscles.
  bool shoulderBodies = false;

  /// The torso's settings (breath::makeTorsoConfig): joints, cartilages, muscles and drive are
  /// those of the trunk by itself. Loins and pelvis are bones here, so
  /// TorsoConfig::ground does not count.
  static breath::TorsoConfig livingCage();
};

/// A person compiled: constant while simulating. The motion of spine, head and limbs is given;
/// ribs, sternum, cartilages, diaphragm, abdominal wall and gut are simulated.
struct LivingModel {
  LivingOptions options;
  std::shared_ptr<const anatomy::Body> body;  ///< fitted to the person
  anatomy::CompiledBody compiled;
  skeleton::Model tree;
  std::vector<int> linkIndices;    ///< of the articulation's links in the tree
  std::vector<int> boneLink;       ///< link in the tree of each bone of the body, or -1
  skeleton::LinkElements springs;  ///< of the articulation that the cage does not stand for
  breath::CageModel cage;
  flesh::BellyPlan bellies;  ///< empty: none
  std::vector<flesh::GridMusclePlan> gridMuscles;
  std::vector<flesh::SealedBodyPlan> shoulderBodies;  ///< empty: none
  std::vector<std::uint8_t> given;  ///< by degree of freedom: its motion is an input

  int dofCount() const { return tree.dofCount(); }
};

/// Compiles a body that is fitted to its person (anatomy::fitToPerson). Throws InputError for an
/// articulation without the bones that breathing needs, and for bellies beside shoulder bodies.
LivingModel makeLivingModel(std::shared_ptr<const anatomy::Body> body, LivingOptions options = {});

}  // namespace pneuma::body
