// Travel as colour: from skin through yellow and orange to a deep red-violet, even in lightness. Activation: from dark to bright.

const STOPS = [[0.83, 0.78, 0.74], [0.98, 0.86, 0.52], [0.97, 0.58, 0.24], [0.80, 0.25, 0.32], [0.42, 0.10, 0.42]];

const ACTIVE = [[0.36, 0.30, 0.42], [0.62, 0.22, 0.30], [0.93, 0.36, 0.16], [1.0, 0.78, 0.30], [1.0, 0.97, 0.82]];
const UNTOUCHED = [0.47, 0.45, 0.46]; // what nobody drives

function mixed(stops, x, out, at) {
  const place = Math.min(0.9999, Math.max(0, x)) * (stops.length - 1);
  const k = Math.floor(place), t = place - k;
  for (let c = 0; c < 3; ++c) out[at + c] = ((1 - t) * stops[k][c] + t * stops[k + 1][c]) ** 2.2;
}
/** Linear RGB of x in 0 .. 1, written to out[at ...]. */
export const travelColor = (x, out, at) => mixed(STOPS, x, out, at);
/** The same of a muscle's activation, from a cool dark to a bright glow; null: it is not driven. */
export const activationColor = (x, out, at = 0) => mixed(x === null ? [UNTOUCHED, UNTOUCHED] : ACTIVE, x ?? 0, out, at);

const gradient = (stops) => `linear-gradient(90deg, ${stops.map((s) => `rgb(${s.map((c) => Math.round(255 * c)).join(' ')})`).join(', ')})`;
export const travelGradient = gradient(STOPS);
export const activationGradient = gradient(ACTIVE);
export const MOST_SHORTENING = 0.3, MOST_ACTIVATION = 0.6; // at the end of the scale, of a breath and of an act
