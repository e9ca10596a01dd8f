// Travel as colour: from skin through yellow and orange to a deep red-violet, even in lightness.

const STOPS = [[0.83, 0.78, 0.74], [0.98, 0.86, 0.52], [0.97, 0.58, 0.24], [0.80, 0.25, 0.32], [0.42, 0.10, 0.42]];

/** Linear RGB of x in 0 .. 1, written to out[at ...]. */
export function travelColor(x, out, at) {
  const place = Math.min(0.9999, Math.max(0, x)) * (STOPS.length - 1);
  const k = Math.floor(place), t = place - k;
  for (let c = 0; c < 3; ++c) out[at + c] = ((1 - t) * STOPS[k][c] + t * STOPS[k + 1][c]) ** 2.2;
}

export const travelGradient = `linear-gradient(90deg, ${STOPS.map((s) => `rgb(${s.map((c) => Math.round(255 * c)).join(' ')})`).join(', ')})`;
