#include <cstdlib>

#include "fuzz_target.h"
#include "pneuma/io/signal.h"

PNEUMA_FUZZ(content) {
  using namespace pneuma::io;
  const auto signals = parseWav(content, "fuzz.wav");
  if (!signals) return;
  if (signals->channels.empty() || signals->times.empty()) std::abort();
  for (const SignalChannel& c : signals->channels)
    if (c.values.size() != signals->sampleCount()) std::abort();
}
