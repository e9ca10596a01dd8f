#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/body/frame.h"
#include "pneuma/muscle/muscle_model.h"
#include "pneuma/skeleton/model.h"
#include "pneuma/stage/person_request.h"

/// What Python's objects hold.
namespace pneuma::python {

/// A body as it was measured, and as the person that was asked for.
struct PersonBody {
  std::shared_ptr<const anatomy::Body> measured, fitted;
  stage::PersonRequest request;

  anatomy::Person person() const { return stage::personOf(request, *measured); }
};

/// A body under one articulation: links, joints and muscle paths.
struct Skeleton {
  std::shared_ptr<const anatomy::Body> body;  // fitted
  anatomy::CompiledBody compiled;
  skeleton::Model model;
  muscle::MuscleModel muscles;
};

/// A frame with the layout that explains it.
struct NamedFrame {
  std::shared_ptr<const body::FrameLayout> layout;
  body::Frame frame;
};

}  // namespace pneuma::python
