#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

#include "pneuma/anatomy/person.h"
#include "pneuma/breath/breath_control.h"
#include "pneuma/breath/shoulder_layer.h"
#include "pneuma/breath/torso_step.h"
#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/stage/body_pack.h"

/// What bench_wasm.mjs times, as C functions: the body driven by all its muscles, and the breathing
/// trunk, with and without its arms. Each returns 0 when it fails and says why on the console.
namespace {

using namespace pneuma;

struct Trunk {
  Trunk(const stage::BodyPack& pack, const anatomy::Body& body)
      : model(breath::makeTorsoModel(breath::readTorsoAnatomy(body),
                                     breath::makeTorsoConfig("default"))),
        player(model.config, styleOf(pack), {}, 1),
        state(breath::makeRestState(model)),
        arms(model, stage::packedBody(pack), breath::makeShoulderConfig(model.config)) {}

  static breath::BreathStyle styleOf(const stage::BodyPack& pack) {
    const char* styles = "/styles.toml";
    io::writeFile(styles, pack.styles);
    return breath::findBreathStyle(breath::readBreathStyles(styles), "casual");
  }
  void breathe(double seconds, bool withArms) {
    const double h = model.config.step, until = state.time + seconds;
    while (state.time < until) {
      breath::step(model, state, player.advance(state.time, h), workspace, h);
      if (withArms) arms.step(state, h);
    }
  }

  breath::TorsoModel model;
  breath::StylePlayer player;
  breath::TorsoState state;
  breath::TorsoWorkspace workspace;
  breath::ShoulderLayer arms;
};

struct Bench {
  stage::BodyPack pack;
  anatomy::Body body;  // fitted to the pack's person
  std::unique_ptr<muscle::DrivenBody> driven;
  std::vector<double> excitations;
  std::unique_ptr<Trunk> trunk;
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

/// The trunk in a quiet breath, at rest.
int bench_trunk() {
  return attempt([&] { bench().trunk = std::make_unique<Trunk>(bench().pack, bench().body); });
}
/// So many simulated seconds of it, with its arms behind it or without them.
int bench_breathe(double seconds, int arms) {
  return attempt([&] { bench().trunk->breathe(seconds, arms != 0); });
}
}
