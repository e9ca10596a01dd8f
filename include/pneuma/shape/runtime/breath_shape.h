/* breath_shape.h: a person who breathes, in any program.
 *
 * One header, C99 (or C++), no allocation, no other files. The bytes come from
 * `pneuma perform --bake person.breathshape`, one person, less than 1 MB.
 *
 *   BreathShape person;
 *   if (breath_shape_open(&person, bytes, size) != BREATH_SHAPE_OK) ...
 *   float weights[BREATH_SHAPE_MOST_COMPONENTS];
 *   BreathShapeState state = {0.5f, 0.2f, 0.4f, 1};     // L above rest, L/s, chest share, depth
 *   breath_shape_weights(&person, &state, weights);
 *   breath_shape_apply(&person, weights, vertices);      // x, y, z of every vertex [m]
 *
 * Coefficients follow from the volumes of chest and belly (c, b) or from type, volume and flow, as
 * the model was learned:
 *
 *   c = (s v - tau q) / A,  b = ((1 - s) v + tau q) / A         v volume, q flow, A torso's area
 *   w_k = sum over features of weight_fk * feature_f
 *   w  <- w + lambda sigma^2 (slope + 2 bend w), twice           the skin gains the volume v
 *   x_i = rest_i + sum over k of w_k scale_k delta_ki / 32767
 *
 * The bytes must stay where they are while the person breathes. Little-endian machines. Nothing is
 * trusted: whatever the bytes are, no call reads or writes outside of what it was given.
 */
#ifndef PNEUMA_BREATH_SHAPE_H
#define PNEUMA_BREATH_SHAPE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#define BREATH_SHAPE_CAST(type, value) static_cast<type>(value)
extern "C" {
#else
#define BREATH_SHAPE_CAST(type, value) ((type)(value))
#endif

#define BREATH_SHAPE_MAGIC 0x48535242u /* "BRSH" */
#define BREATH_SHAPE_VERSION 1u
#define BREATH_SHAPE_MOST_COMPONENTS 32
#define BREATH_SHAPE_MOST_FEATURES 12
#define BREATH_SHAPE_BLOCK 256u /* vertices at a time */

typedef enum BreathShapeResult {
  BREATH_SHAPE_OK = 0,
  BREATH_SHAPE_NOT_A_MODEL,   /* other bytes */
  BREATH_SHAPE_OTHER_VERSION, /* of a newer or older program */
  BREATH_SHAPE_TRUNCATED,     /* fewer or more bytes than they say */
  BREATH_SHAPE_DAMAGED        /* numbers that cannot be */
} BreathShapeResult;

/* The first bytes; all else follows in the order of the pointers of BreathShape. */
typedef struct BreathShapeHeader {
  uint32_t magic, version;
  uint32_t vertices;   /* of the skin */
  uint32_t moving;     /* of them, moved by breath */
  uint32_t components; /* K */
  uint32_t features;   /* 5: chest and belly volume; 8: and flow; 12: type, volume, flow */
  float area;          /* A [m^2] */
  float belly_lead;    /* tau [s] */
} BreathShapeHeader;

typedef struct BreathShape {
  BreathShapeHeader head;
  const unsigned char* weights;    /* float [features][K] */
  const unsigned char* deviations; /* float [K], sigma */
  const unsigned char* slope;      /* float [K], [m^3] */
  const unsigned char* bend;       /* float [K][K], [m^3] */
  const unsigned char* scale;      /* float [K], [m]: of delta 32767 */
  const unsigned char* rest;       /* float [vertices][3], [m] */
  const unsigned char* index;      /* uint32 [moving], rising */
  const unsigned char* delta;      /* int16 [K][moving][3] */
} BreathShape;

/* How the person breathes now. */
typedef struct BreathShapeState {
  float volume; /* of gas above rest [L] */
  float flow;   /* inwards [L/s] */
  float type;   /* 0 belly .. 1 chest */
  float depth;  /* 1 as learned, 0 none, 2 twice as much */
} BreathShapeState;

static inline float breath_shape_float(const unsigned char* p, size_t i) {
  float f;
  memcpy(&f, p + 4 * i, 4);
  return f;
}

static inline int breath_shape_finite(const unsigned char* p, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const float f = breath_shape_float(p, i);
    if (!(f - f == 0.0f)) return 0;
  }
  return 1;
}

/* Looks at all bytes once. `shape` points into them afterwards. */
static inline BreathShapeResult breath_shape_open(BreathShape* shape, const void* bytes,
                                                  size_t size) {
  const unsigned char* p = BREATH_SHAPE_CAST(const unsigned char*, bytes);
  BreathShapeHeader h;
  if (!bytes || size < sizeof h) return BREATH_SHAPE_NOT_A_MODEL;
  memcpy(&h, p, sizeof h);
  if (h.magic != BREATH_SHAPE_MAGIC) return BREATH_SHAPE_NOT_A_MODEL;
  if (h.version != BREATH_SHAPE_VERSION) return BREATH_SHAPE_OTHER_VERSION;
  if (h.components < 1 || h.components > BREATH_SHAPE_MOST_COMPONENTS || h.vertices < 1 ||
      h.vertices > 100000000u || h.moving > h.vertices ||
      (h.features != 5 && h.features != 8 && h.features != 12) || !(h.area > 0.0f) ||
      !(h.area - h.area == 0.0f) || !(h.belly_lead - h.belly_lead == 0.0f))
    return BREATH_SHAPE_DAMAGED;
  {
    const uint64_t k = h.components, floats = h.features * k + 3 * k + k * k;
    const uint64_t wanted = sizeof h + 4 * (floats + 3 * BREATH_SHAPE_CAST(uint64_t, h.vertices)) +
                            4 * BREATH_SHAPE_CAST(uint64_t, h.moving) + 6 * k * h.moving;
    if (BREATH_SHAPE_CAST(uint64_t, size) != wanted) return BREATH_SHAPE_TRUNCATED;
    shape->head = h;
    shape->weights = p + sizeof h;
    shape->deviations = shape->weights + 4 * h.features * k;
    shape->slope = shape->deviations + 4 * k;
    shape->bend = shape->slope + 4 * k;
    shape->scale = shape->bend + 4 * k * k;
    shape->rest = shape->scale + 4 * k;
    shape->index = shape->rest + 12 * BREATH_SHAPE_CAST(size_t, h.vertices);
    shape->delta = shape->index + 4 * BREATH_SHAPE_CAST(size_t, h.moving);
    if (!breath_shape_finite(shape->weights, BREATH_SHAPE_CAST(size_t, floats) +
                                                 3 * BREATH_SHAPE_CAST(size_t, h.vertices)))
      return BREATH_SHAPE_DAMAGED;
  }
  {
    uint32_t before = 0;
    for (uint32_t i = 0; i < h.moving; ++i) {
      uint32_t v;
      memcpy(&v, shape->index + 4 * BREATH_SHAPE_CAST(size_t, i), 4);
      if (v >= h.vertices || (i > 0 && v <= before)) return BREATH_SHAPE_DAMAGED;
      before = v;
    }
  }
  return BREATH_SHAPE_OK;
}

/* Weights of the K components. */
static inline void breath_shape_weights(const BreathShape* shape, const BreathShapeState* state,
                                        float* weights) {
  const uint32_t K = shape->head.components, F = shape->head.features;
  const double liters = 1e-3, cm = 0.01, area = shape->head.area;
  const double volume = state->volume * BREATH_SHAPE_CAST(double, state->depth) * liters;
  const double flow = state->flow * BREATH_SHAPE_CAST(double, state->depth) * liters;
  const double v = volume / area / cm, q = flow / area / cm;
  const double s = state->type, lead = shape->head.belly_lead;
  double f[BREATH_SHAPE_MOST_FEATURES], w[BREATH_SHAPE_MOST_COMPONENTS];
  const double c = s * v - lead * q, b = (1 - s) * v + lead * q;
  if (F == 5) {
    f[0] = c, f[1] = b, f[2] = c * c, f[3] = c * b, f[4] = b * b;
  } else if (F == 8) {
    f[0] = c, f[1] = b, f[2] = q, f[3] = c * c, f[4] = c * b, f[5] = b * b, f[6] = c * q;
    f[7] = c < 0 ? c : 0;
  } else {
    double power = 1;
    for (uint32_t k = 0; k < 4; ++k, power *= s)
      f[3 * k] = power * v, f[3 * k + 1] = power * v * v, f[3 * k + 2] = power * q;
  }
  for (uint32_t k = 0; k < K; ++k) {
    w[k] = 0;
    for (uint32_t i = 0; i < F; ++i)
      w[k] += f[i] * breath_shape_float(shape->weights, BREATH_SHAPE_CAST(size_t, i) * K + k);
  }
  for (int step = 0; step < 2; ++step) { /* the skin gains what the lungs do */
    double g[BREATH_SHAPE_MOST_COMPONENTS], gained = 0, gain = 0;
    for (uint32_t k = 0; k < K; ++k) {
      double bent = 0;
      for (uint32_t i = 0; i < K; ++i)
        bent += breath_shape_float(shape->bend, BREATH_SHAPE_CAST(size_t, k) * K + i) * w[i];
      g[k] = breath_shape_float(shape->slope, k) + 2 * bent;
      gained += w[k] * (breath_shape_float(shape->slope, k) + bent);
    }
    for (uint32_t k = 0; k < K; ++k) {
      const double sigma = breath_shape_float(shape->deviations, k);
      gain += g[k] * g[k] * sigma * sigma;
    }
    if (!(gain > 0)) break;
    for (uint32_t k = 0; k < K; ++k) {
      const double sigma = breath_shape_float(shape->deviations, k);
      w[k] += (volume - gained) / gain * sigma * sigma * g[k];
    }
  }
  for (uint32_t k = 0; k < K; ++k) weights[k] = BREATH_SHAPE_CAST(float, w[k]);
}

/* Writes x, y, z of all vertices [m]. Blocks of constant size let compilers use vector registers.
 */
static inline void breath_shape_apply(const BreathShape* shape, const float* weights,
                                      float* vertices) {
  const uint32_t K = shape->head.components, moving = shape->head.moving;
  memcpy(vertices, shape->rest, 12 * BREATH_SHAPE_CAST(size_t, shape->head.vertices));
  for (uint32_t first = 0; first < moving; first += BREATH_SHAPE_BLOCK) {
    const uint32_t count =
        moving - first < BREATH_SHAPE_BLOCK ? moving - first : BREATH_SHAPE_BLOCK;
    float sum[3 * BREATH_SHAPE_BLOCK];
    int16_t d[3 * BREATH_SHAPE_BLOCK];
    memset(sum, 0, sizeof sum);
    memset(d, 0, sizeof d);
    for (uint32_t k = 0; k < K; ++k) {
      const float scaled = weights[k] * breath_shape_float(shape->scale, k) * (1.0f / 32767.0f);
      memcpy(d, shape->delta + 6 * (BREATH_SHAPE_CAST(size_t, k) * moving + first),
             6 * BREATH_SHAPE_CAST(size_t, count));
      for (uint32_t j = 0; j < 3 * BREATH_SHAPE_BLOCK; ++j)
        sum[j] += scaled * BREATH_SHAPE_CAST(float, d[j]);
    }
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t v;
      memcpy(&v, shape->index + 4 * BREATH_SHAPE_CAST(size_t, first + i), 4);
      for (uint32_t axis = 0; axis < 3; ++axis)
        vertices[3 * BREATH_SHAPE_CAST(size_t, v) + axis] += sum[3 * i + axis];
    }
  }
}

#ifdef __cplusplus
}
#endif

#endif /* PNEUMA_BREATH_SHAPE_H */
