#include "reproduce/physiology/measured.h"

#include "pneuma/anatomy/body_file.h"
#include "pneuma/stage/breath_request.h"
#include "reproduce/physiology/subject.h"

namespace pneuma::reproduce::physiology {

using namespace pneuma::breath;

std::shared_ptr<const anatomy::Body> subjectBody() {
  static const auto body = std::make_shared<const anatomy::Body>(
      anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow());
  return body;
}

anatomy::Person subject() {
  return anatomy::Person{};
}

TorsoModel trunkOf(const anatomy::Person& person) {
  return makeTorsoModel(readTorsoAnatomy(anatomy::fitToPerson(*subjectBody(), person)),
                        makeTorsoConfig("default"));
}

BreathSettings settingsOf(const anatomy::Person& person, const char* style) {
  BreathSettings s;
  s.body = subjectBody();
  s.person = person;
  s.torso = makeTorsoConfig("default");
  s.style = stage::dataStyle(style);
  return s;
}

Contractions inspirationOf(const char* style) {
  return stage::dataStyle(style).inspire;
}

stage::ManoeuvreRun measureManoeuvre(const char* name, Figures& out) {
  stage::ManoeuvreRun run = stage::runManoeuvre(name, trunkOf(subject()));
  for (const stage::ManoeuvreFigure& f : run.figures) out[f.id] = f.value;
  return run;
}

Measured measureAll(Progress& progress) {
  Measured out;
  int done = 0;
  const auto next = [&] { progress.update(++done); };
  out.relaxation = measureManoeuvre("relaxation", out.figures), next();
  measureDiagrams(out), next();
  measureQuiet(out.figures), next();
  measureFull(out.figures), next();
  out.forced = measureManoeuvre("forced", out.figures), next();
  measurePostures(out.figures), next();
  measurePersons(out.figures), next();
  measureNumerics(out.figures), next();
  return out;
}

}  // namespace pneuma::reproduce::physiology
