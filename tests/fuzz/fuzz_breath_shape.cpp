#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "fuzz_target.h"
#include "pneuma/shape/runtime/breath_shape.h"

/// The runtime that games compile in: whatever the bytes are, it opens them or says why not, and
/// touches nothing else (the sanitizer watches the exact buffers).
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

/// Every call of the header on a copy of exactly that size, at ordinary and at impossible states.
void play(std::string_view content) {
  const std::vector<char> bytes(content.begin(), content.end());
  BreathShape person;
  if (breath_shape_open(&person, bytes.data(), bytes.size()) != BREATH_SHAPE_OK) return;
  if (person.head.moving > person.head.vertices || person.head.components == 0) std::abort();
  std::vector<float> weights(person.head.components), vertices(3 * person.head.vertices);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float volume : {0.0f, 0.5f, -2.0f, 1e30f, kInfinity, std::nanf("")}) {
    const BreathShapeState state{volume, 0.2f, 0.4f, 1.0f};
    breath_shape_weights(&person, &state, weights.data());
    breath_shape_apply(&person, weights.data(), vertices.data());
  }
  // No weight, no breath: the skin at rest to the last bit.
  std::vector<float> none(person.head.components, 0.0f);
  breath_shape_apply(&person, none.data(), vertices.data());
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (vertices[i] != breath_shape_float(person.rest, i)) std::abort();
}

/// The same bytes behind a header that the reader does not turn away at once: magic and version
/// right, and as many bytes as it says. Chance alone seldom finds those.
std::string mended(std::string_view content) {
  BreathShapeHeader h;
  if (content.size() < sizeof h) return {};
  std::memcpy(&h, content.data(), sizeof h);
  h.magic = BREATH_SHAPE_MAGIC, h.version = BREATH_SHAPE_VERSION;
  h.vertices = 1 + h.vertices % 2000, h.moving %= h.vertices + 2;
  h.components = h.components % (BREATH_SHAPE_MOST_COMPONENTS + 2);
  const std::size_t k = h.components, floats = h.features % 16 * k + 3 * k + k * k;
  const std::size_t size = sizeof h + 4 * (floats + 3 * h.vertices) + (4 + 6 * k) * h.moving;
  h.features %= 16;
  if (size > kMostBytes) return {};
  std::string bytes(content);
  bytes.resize(size, '\0');
  std::memcpy(bytes.data(), &h, sizeof h);
  return bytes;
}

}  // namespace

PNEUMA_FUZZ(content) {
  play(content);
  play(mended(content));
}
