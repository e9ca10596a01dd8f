// The session of session_api.cpp for node.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export async function openSession(folder, bodyFile) {
  // Emscripten's glue for node is written for scripts.
  globalThis.require = createRequire(import.meta.url);
  globalThis.__dirname = resolve(folder);
  globalThis.__filename = resolve(folder, 'session.mjs');
  const { default: createSession } = await import(pathToFileURL(resolve(folder, 'session.mjs')));
  const wasm = await createSession({ wasmBinary: readFileSync(resolve(folder, 'session.wasm')) });
  const text = (p) => wasm.UTF8ToString(p);
  const call = (name, ...args) => {
    const values = args.map((a) => {
      if (typeof a === 'number') return a;
      const bytes = typeof a === 'string' ? Buffer.from(`${a}\0`) : a;
      const p = wasm._malloc(bytes.length);
      wasm.HEAPU8.set(bytes, p);
      return p;
    });
    const ok = wasm[`_studio_${name}`](...values);
    args.forEach((a, i) => typeof a !== 'number' && wasm._free(values[i]));
    if (!ok) throw new Error(text(wasm._studio_error()));
  };
  const answer = () => text(wasm._studio_answer());
  const bytes = () => wasm.HEAPU8.slice(wasm._studio_data(), wasm._studio_data() + wasm._studio_size());
  if (bodyFile) {
    const body = readFileSync(bodyFile);
    call('open', body, body.length);
  }
  return { call, answer, bytes, wasm };
}

/** Scalars and points of a frame's bytes (body/frame_bytes.h). */
export function readFrame(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const links = view.getUint32(24, true), points = view.getUint32(28, true), count = view.getUint32(32, true);
  const scalars = Array.from({ length: count }, (_, i) => view.getFloat64(40 + 8 * i, true));
  const at = 40 + 8 * count + 48 * links;
  // A place of a link's frame in the world: rotation by columns, then position.
  const transform = (link, p) => {
    const x = Array.from({ length: 12 }, (_, i) => view.getFloat32(40 + 8 * count + 48 * link + 4 * i, true));
    return [0, 1, 2].map((k) => x[k] * p[0] + x[3 + k] * p[1] + x[6 + k] * p[2] + x[9 + k]);
  };
  return { time: view.getFloat64(16, true), scalars, transform, point: (i) => [0, 1, 2].map((k) => view.getFloat32(at + 12 * i + 4 * k, true)), points };
}
