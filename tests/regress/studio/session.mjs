// node session.mjs WASM_FOLDER STUDIO_FOLDER NATIVE_JSON: a minute of WebAssembly beside the native session, sizes, and what is refused.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openSession, readFrame } from './wasm_session.mjs';

const [folder, studio, nativeFile] = process.argv.slice(2);
const native = JSON.parse(readFileSync(nativeFile, 'utf8'));
const bodyFile = resolve(studio, 'body.pnb');

// Budget: what a visitor fetches.
const size = (file) => gzipSync(readFileSync(file), { level: 9 }).length / 1e6;
const wasmSize = size(resolve(folder, 'session.wasm')), bodySize = size(bodyFile);
console.log(`compressed: session ${wasmSize.toFixed(2)} MB, body ${bodySize.toFixed(2)} MB`);
assert.ok(wasmSize + bodySize <= 4, 'session and body together are above 4 MB');

const s = await openSession(folder, bodyFile);
s.call('create', JSON.stringify({ posture: 'standing', fps: 1, record_seconds: 2, style: 'casual' }));
const { layout } = JSON.parse(s.answer());
const volume = layout.scalars.findIndex((x) => x.group === 'breath' && x.name === 'lung_volume');
const volumes = [];
let frame;
const begin = process.cpuUsage();
for (let i = 0; i < 120; ++i) {
  if (i === 60) s.call('set', JSON.stringify({ style: 'deep', effort: 1.2 }));
  s.call('advance', 0.5);
  s.call('frame');
  frame = readFrame(s.bytes());
  volumes.push(frame.scalars[volume]);
}
const used = process.cpuUsage(begin);
console.log(`60 s in ${((used.user + used.system) / 1e6).toFixed(2)} s of processor time`);

// Volumes.
const most = Math.max(...native.volumes.map(Math.abs));
assert.ok(most > 200, 'the native body hardly breathes');
const worst = Math.max(...volumes.map((v, i) => Math.abs(v - native.volumes[i])));
console.log(`volumes: largest ${most.toFixed(1)} mL, largest difference ${worst.toExponential(2)} mL (${(worst / most).toExponential(2)})`);
assert.ok(worst <= 1e-6 * most, 'volumes differ from the native ones');

// Skin: frames hold 32-bit floats, 1e-7 of two metres.
const { first, count } = layout.points.find((p) => p.name === 'skin');
let apart = 0;
for (let v = 0, i = 0; v < count; v += 97, i += 3)
  frame.point(first + v).forEach((x, k) => (apart = Math.max(apart, Math.abs(x - native.skin[i + k]))));
console.log(`skin: ${(1e6 * apart).toFixed(2)} micrometres apart`);
assert.ok(apart < 1e-6, 'the skin differs from the native one');

// Every bit of the state after that minute, by the compiler that the kept hash is of. WebAssembly is the same on every processor.
s.call('hash');
const hash = s.answer(), compiler = `emscripten ${process.env.EMSCRIPTEN}`, hashFile = new URL('../../../scenes/wasm_hashes.txt', import.meta.url);
console.log(`hash ${hash}, native ${native.hash}`);
if (process.env.PNEUMA_RENEW_HASHES) writeFileSync(hashFile, `${compiler}\nstudio_minute ${hash}\n`);
const [keptBy, kept] = readFileSync(hashFile, 'utf8').trim().split('\n');
if (keptBy !== compiler) console.log(`not compared: the kept hash is of ${keptBy}, this is ${compiler}`);
else assert.equal(`studio_minute ${hash}`, kept, 'the bits changed; if they were meant to: make hashes');

// What is refused leaves the session as it was.
const refused = (pattern, ...call) => assert.throws(() => s.call(...call), pattern);
refused(/did you mean 'deep'/, 'set', JSON.stringify({ style: 'depe' }));
refused(/rate/, 'set', JSON.stringify({ rate: -1 }));
refused(/posture/, 'create', JSON.stringify({ posture: 'flying' }));
refused(/JSON/, 'set', '{');
refused(/no packed body/, 'open', Buffer.from('nothing'), 7);
refused(/bad\.csv/, 'follow', 'bad.csv', Buffer.from('a,b\nx,y\n'), 8);
s.call('advance', 0.004);

// Somebody else breathes as the program lets her; her skin lies between the forms of the pack.
s.call('create', JSON.stringify({ sex: 'female', height: 1.6, mass: 70, age: 45, fps: 1, record_seconds: 2 }));
const hers = native.other.volumes.map(() => {
  s.call('advance', 0.5);
  s.call('frame');
  return readFrame(s.bytes()).scalars[volume];
});
const her = Math.max(...native.other.volumes.map(Math.abs));
const off = Math.max(...hers.map((v, i) => Math.abs(v - native.other.volumes[i])));
console.log(`another person: largest ${her.toFixed(1)} mL, difference ${(off / her).toExponential(2)}, skin off by ${native.other.skin_mean_mm.toFixed(2)} mm on average, ${native.other.skin_most_mm.toFixed(1)} at most`);
assert.ok(off <= 1e-6 * her, 'she breathes otherwise than natively');
assert.ok(native.other.skin_mean_mm < 5, 'her skin is not hers');

// People at the ends of what sliders allow: lungs at rest, tidal volume and compliance are theirs, 2 % asked for.
const pleural = layout.scalars.findIndex((x) => x.group === 'breath' && x.name === 'pleural_pressure');
const span = (list) => Math.max(...list) - Math.min(...list);
for (const { sex, height, mass, age, frc, ...wanted } of native.people) {
  s.call('create', JSON.stringify({ sex, height, mass, age, fps: 1, record_seconds: 2 }));
  const made = JSON.parse(s.answer()).person, volumes = [], pressures = [];
  for (const _ of wanted.volumes) {
    s.call('advance', 0.25);
    s.call('frame');
    const { scalars } = readFrame(s.bytes());
    volumes.push(scalars[volume]);
    pressures.push(scalars[pleural]);
  }
  const ratios = {
    frc: made.frc / frc,
    tidal: span(volumes) / span(wanted.volumes),
    compliance: (span(volumes) / span(pressures)) / (span(wanted.volumes) / span(wanted.pressures)),
  };
  console.log(`${sex} of ${height} m, ${mass} kg, ${age} years: FRC ${(1e3 * made.frc).toFixed(2)} L, breath ${span(volumes).toFixed(0)} mL, of native ${JSON.stringify(ratios)}`);
  assert.ok(span(wanted.volumes) > 150, 'nobody breathed');
  for (const [name, ratio] of Object.entries(ratios)) assert.ok(Math.abs(ratio - 1) < 0.02, `${name} is ${ratio} of the native one`);
}

// Files.
s.call('csv');
assert.match(s.answer(), /^time.*lung_volume/);
s.call('glb');
assert.equal(Buffer.from(s.bytes().slice(0, 4)).toString(), 'glTF');

// Memory stays, with the recorded seconds full and files made on the way (an hour of it: make prove-studio).
const heap = s.wasm.HEAPU8.length;
for (let i = 0; i < 40; ++i) {
  s.call('advance', 0.2);
  s.call('frame');
  s.call('csv');
}
assert.equal(s.wasm.HEAPU8.length, heap, 'memory grew');

// A body that acts, beside the native one: a weight, and a hand that is dragged.
s.call('act_create', JSON.stringify({ record_seconds: 0.3 }));
const acting = JSON.parse(s.answer());
const lines = acting.layout.scalars.flatMap((x, i) => (x.group === 'activations' ? [i] : []));
const right = acting.layout.links.findIndex((l) => l.name === 'hand_r');
const palm = [0, -0.08, 0];
const look = () => {
  s.call('frame');
  const f = readFrame(s.bytes()), hand = f.transform(right, palm);
  return { hand, activation: lines.reduce((sum, i) => sum + f.scalars[i], 0) };
};
const start = look();
s.call('act_set', JSON.stringify({ weight_r: 2 }));
s.call('act_drag', 'hand_r', ...palm, start.hand[0], start.hand[1] + 0.3, start.hand[2] + 0.2);
const acted = native.act.activation.map((wanted, i) => {
  s.call('advance', 0.2);
  const now = look();
  return { off: Math.max(...now.hand.map((x, k) => Math.abs(x - native.act.hand[3 * i + k]))), activation: Math.abs(now.activation - wanted), now };
});
const moved = acted.at(-1).now.hand[1] - start.hand[1];
const handOff = Math.max(...acted.map((a) => a.off)), activationOff = Math.max(...acted.map((a) => a.activation));
console.log(`act: the hand rose by ${(1000 * moved).toFixed(0)} mm, ${(1e6 * handOff).toFixed(2)} micrometres beside the native one, activations ${activationOff.toExponential(1)} in sum of ${native.act.activation.at(-1).toFixed(1)}`);
assert.ok(moved > 0.2, 'the hand does not follow');
assert.ok(handOff < 5e-6, 'the hand goes elsewhere than natively'); // frames hold 32-bit floats of places
assert.ok(activationOff < 1e-3 * native.act.activation.at(-1), 'muscles work otherwise than natively');
const spent = process.cpuUsage(), looked = 30;
for (let i = 0; i < looked; ++i) {
  s.call('advance', 0.032);
  s.call('frame');
}
const of = process.cpuUsage(spent);
console.log(`act: ${looked} frames of 32 ms in ${((of.user + of.system) / 1e3).toFixed(0)} ms of processor time`);
refused(/did you mean 'curl'/, 'act_set', JSON.stringify({ exercise: 'culr' }));
refused(/unknown link 'hand'/, 'act_drag', 'hand', 0, 0, 0, 0, 0, 0);
refused(/within 10 m/, 'act_drag', 'hand_r', 0, 0, 0, 0, NaN, 0);
refused(/held by the world/, 'act_drag', 'pelvis', 0, 0, 0, 0, 0, 0);
refused(/no breathing session/, 'set', JSON.stringify({ style: 'deep' }));
s.call('act_release', '');
const full = s.wasm.HEAPU8.length;
for (let i = 0; i < 20; ++i) {
  s.call('advance', 0.1);
  s.call('frame');
  s.call('csv');
}
assert.equal(s.wasm.HEAPU8.length, full, 'memory grew while acting');
s.call('glb');
assert.equal(Buffer.from(s.bytes().slice(0, 4)).toString(), 'glTF');
