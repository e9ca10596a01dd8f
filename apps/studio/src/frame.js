// Bytes of a frame (include/pneuma/body/frame_bytes.h) as arrays, without a copy.

const HEADER = 40;

export function decodeFrame(buffer) {
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== 0x52464e50) throw new Error('these bytes are no frame');
  const links = view.getUint32(24, true), points = view.getUint32(28, true), scalars = view.getUint32(32, true);
  const posesAt = HEADER + 8 * scalars, pointsAt = posesAt + 48 * links;
  return {
    digest: view.getBigUint64(8, true).toString(16).padStart(16, '0'), // of the layout
    time: view.getFloat64(16, true),
    scalars: new Float64Array(buffer, HEADER, scalars),
    poses: new Float32Array(buffer, posesAt, 12 * links), // rotation by columns, position
    points: new Float32Array(buffer, pointsAt, 3 * points),
  };
}

/** Names of the layout's lists to their places. */
export function readLayout(layout) {
  const scalars = new Map(layout.scalars.map((s, i) => [`${s.group}/${s.name}`, i]));
  const sets = new Map(layout.points.map((p) => [p.name, p]));
  return { ...layout, scalarIndex: (name) => scalars.get(name), set: (name) => sets.get(name) };
}

/** Between two frames; `out` is like them and is overwritten. */
export function mix(a, b, t, out) {
  for (const key of ['poses', 'points'])
    for (let i = 0, x = a[key], y = b[key], to = out[key]; i < x.length; ++i) to[i] = x[i] + t * (y[i] - x[i]);
  out.time = a.time + t * (b.time - a.time);
  out.scalars = b.scalars;
  return out;
}
