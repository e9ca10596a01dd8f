#include <cstdlib>

#include "fuzz_target.h"
#include "pneuma/io/signal.h"

PNEUMA_FUZZ(content) {
  using namespace pneuma::io;
  const auto signals = parseCsvSignals(content, "fuzz.csv");
  if (!signals) return;
  for (const SignalChannel& c : signals->channels)
    if (c.values.size() != signals->sampleCount()) std::abort();
  // Whatever was accepted can be resampled, if not to too many samples.
  if (signals->duration() < 1e4) resampled(*signals, 7);
}
