/* The runtime as a C99 program sees it; compiled with all warnings as errors. */
#include "pneuma/shape/runtime/breath_shape.h"

int breath_shape_from_c(const void* bytes, size_t size, float volume, float* vertices);

int breath_shape_from_c(const void* bytes, size_t size, float volume, float* vertices) {
  BreathShape person;
  float weights[BREATH_SHAPE_MOST_COMPONENTS];
  BreathShapeState state = {0.0f, 0.0f, 0.5f, 1.0f};
  const BreathShapeResult result = breath_shape_open(&person, bytes, size);
  if (result != BREATH_SHAPE_OK) return (int)result;
  state.volume = volume;
  breath_shape_weights(&person, &state, weights);
  breath_shape_apply(&person, weights, vertices);
  return 0;
}
