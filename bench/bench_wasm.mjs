// node bench_wasm.mjs WASM_FOLDER BODY.pnb TOOLS MJCF: our WebAssembly beside MuJoCo's, taking turns in one process.
//
// The whole upper body with all its muscles, by our linearly implicit step (7 ms) and, on the exported MJCF, by MuJoCo's two
// implicit integrators at the step that it is exported with (2 ms); all under the same activations, which change as they go. Then
// the breathing trunk against the clock, with and without its arms, the best of three. Processor time. Figures go to the file that PNEUMA_BENCH_JSON names.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, bodyFile, tools, mjcf] = process.argv.slice(2);
const ROUNDS = 12, STEPS = 25, TRUNK_SECONDS = 10;
const require = createRequire(pathToFileURL(resolve(tools, 'package.json')));

// Emscripten's glue for node is written for scripts.
Object.assign(globalThis, { require: createRequire(import.meta.url), __dirname: resolve(folder), __filename: resolve(folder, 'bench.mjs') });
const { default: createBench } = await import(pathToFileURL(resolve(folder, 'bench.mjs')));
const ours = await createBench({ wasmBinary: readFileSync(resolve(folder, 'bench.wasm')) });
const call = (name, ...args) => {
  const owned = args.filter((a) => typeof a !== 'number');
  const values = args.map((a) => {
    if (typeof a === 'number') return a;
    const bytes = typeof a === 'string' ? Buffer.from(`${a}\0`) : a, p = ours._malloc(bytes.length);
    ours.HEAPU8.set(bytes, p);
    owned[owned.indexOf(a)] = p;
    return p;
  });
  if (!ours[`_bench_${name}`](...values)) throw new Error(`${name} failed`);
  owned.forEach((p) => ours._free(p));
};
const seconds = (work) => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

const body = readFileSync(bodyFile);
call('open', body, body.length);
call('body', 'upper-body');
const muscles = ours._bench_muscles(), step = ours._bench_step_seconds();

const mujoco = await (await import(pathToFileURL(require.resolve('@mujoco/mujoco')))).default();
const theirs = ['implicit', 'implicitfast'].map((integrator) => {
  const text = readFileSync(mjcf, 'utf8').replace(/ integrator="[^"]*"/, ` integrator="${integrator}"`);
  if (!text.includes(`integrator="${integrator}"`)) throw new Error(`${mjcf}: no integrator`);
  const model = mujoco.MjModel.from_xml_string(text);
  return { name: `mujoco_${integrator}`, model, data: new mujoco.MjData(model), times: [] };
});
if (theirs[0].model.nu !== muscles) throw new Error(`${theirs[0].model.nu} muscles in ${mjcf}, ${muscles} in ours`);

let seed = 1; // the same numbers on every machine
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
const times = [];
for (let round = -2; round < ROUNDS; ++round) {
  const wanted = Float64Array.from({ length: muscles }, () => 0.2 * random());
  ours.HEAPF64.set(wanted, ours._bench_excitations() >> 3);
  const spent = seconds(() => call('steps', STEPS));
  if (round >= 0) times.push(spent / STEPS);
  for (const t of theirs) {
    for (let k = 0; k < muscles; ++k) t.data.ctrl[k] = wanted[k];
    const used = seconds(() => {
      for (let i = 0; i < STEPS; ++i) mujoco.mj_step(t.model, t.data);
    });
    if (!(Math.abs(t.data.time - (round + 3) * STEPS * t.model.opt.timestep) < 1e-6)) throw new Error(`${t.name}: reset at ${t.data.time} s`);
    if (round >= 0) t.times.push(used / STEPS);
  }
}
const figures = { 'ms.wasm.step': 1e3 * median(times) };
console.log(`${ours._bench_dofs()} degrees of freedom, ${muscles} muscles, our step ${1e3 * step} ms, MuJoCo ${mujoco.mj_versionString()}`);
console.log(`ours                 ${(1e3 * median(times)).toFixed(3)} ms a step`);
for (const t of theirs) {
  figures[`ratio.wasm.${t.name}`] = median(t.times) / median(times);
  console.log(`${t.name.padEnd(20)} ${(1e3 * median(t.times)).toFixed(3)} ms a step, ${figures[`ratio.wasm.${t.name}`].toFixed(2)} times ours`);
}
call('trunk');
for (const [arms, name] of [[0, 'trunk'], [1, 'trunk_arms']]) {
  call('breathe', 1, arms);
  const best = Math.min(...Array.from({ length: 3 }, () => seconds(() => call('breathe', TRUNK_SECONDS, arms))));
  figures[`realtime.wasm.${name}`] = TRUNK_SECONDS / best;
  console.log(`${(arms ? 'trunk and arms' : 'trunk').padEnd(20)} ${figures[`realtime.wasm.${name}`].toFixed(1)} times real time`);
}
if (process.env.PNEUMA_BENCH_JSON) writeFileSync(process.env.PNEUMA_BENCH_JSON, `${JSON.stringify(figures, null, 2)}\n`);
