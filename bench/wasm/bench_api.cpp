#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

#include "pneuma/anatomy/person.h"
#include "pneuma/breath/breath_control.h"
#include "pneuma/breath/torso_step.h"
#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/stage/body_pack.h"

/// What bench_wasm.mjs times, as C functions: the body driven by all its muscles, and the breathing
/// trunk with its arms. Each returns 0 when it fails and says why on the console.
namespace {

using namespace pneuma;

struct Bench {
  stage::BodyPack pack;
  anatomy::Body body;  // fitted to the pack's person
  std::unique_ptr<muscle::DrivenBody> driven;
  std::vector<double> excitations;
};

Bench& bench() {
  static Bench instance;
  return instance;
}

template <class Action>
int attempt(Action&& action) {
  try {
    action();
    return 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  return 0;
}

}  // namespace

extern "C" {

int bench_open(const char* bytes, std::uint32_t size) {
  return attempt([&] {
    Bench& b = bench();
    b.pack = stage::decodePack({bytes, size});
    const anatomy::Body measured = stage::packedBody(b.pack);
    b.body = anatomy::fitToPerson(measured, stage::personOf(b.pack.person, measured));
  });
}

/// The body under one articulation, at rest, every muscle at a tenth of its activation.
int bench_body(const char* articulation) {
  return attempt([&] {
    Bench& b = bench();
    b.driven = std::make_unique<muscle::DrivenBody>(
        anatomy::compileBody(b.body, articulation).valueOrThrow());
    b.excitations.assign(static_cast<std::size_t>(b.driven->muscles().count()), 0.1);
  });
}
int bench_dofs() {
  return bench().driven->model().dofCount();
}
int bench_muscles() {
  return bench().driven->muscles().count();
}
double* bench_excitations() {
  return bench().excitations.data();
}
double bench_step_seconds() {
  return bench().driven->config().step;
}
int bench_steps(int count) {
  return attempt([&] {
    for (int i = 0; i < count; ++i) bench().driven->step(bench().excitations);
  });
}

/// The trunk with its arms in a quiet breath for so many simulated seconds, from rest.
int bench_trunk(double seconds) {
  return attempt([&] {
    const char* styles = "/styles.toml";
    io::writeFile(styles, bench().pack.styles);
    const breath::TorsoModel model = breath::makeTorsoModel(breath::readTorsoAnatomy(bench().body),
                                                            breath::makeTorsoConfig("default"));
    const std::vector<breath::BreathStyle> list = breath::readBreathStyles(styles);
    breath::StylePlayer player(model.config, breath::findBreathStyle(list, "casual"), {}, 1);
    breath::TorsoState state = breath::makeRestState(model);
    breath::TorsoWorkspace workspace;
    const double h = model.config.step;
    while (state.time < seconds)
      breath::step(model, state, player.advance(state.time, h), workspace, h);
  });
}
}
