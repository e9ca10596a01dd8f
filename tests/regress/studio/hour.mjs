// node hour.mjs WASM_FOLDER BODY [MINUTES] [PROOF]: a visitor who stays for an hour. Styles, targets and looks change; memory must
// not grow after the first minutes.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { openSession, readFrame } from './wasm_session.mjs';

const [folder, bodyFile, minutes = 60, proof] = process.argv.slice(2);
const STYLES = ['casual', 'deep', 'panting', 'sigh', 'laugh', 'speech'];
const SETTLED = 3; // minutes after which memory is what it is
const s = await openSession(folder, bodyFile);
s.call('create', JSON.stringify({ fps: 15.625, record_seconds: 12, style: 'casual' }));
const { layout } = JSON.parse(s.answer());
const at = layout.scalars.findIndex((x) => x.group === 'breath' && x.name === 'lung_volume');
const heap = [];
let most = 0;
const begin = process.cpuUsage();
for (let minute = 0; minute < +minutes; ++minute) {
  s.call('set', JSON.stringify({ style: STYLES[minute % STYLES.length] }));
  for (let second = 0; second < 60; ++second) {
    s.call('advance', 1);
    s.call('frame');
    const volume = readFrame(s.bytes()).scalars[at];
    assert.ok(Number.isFinite(volume));
    most = Math.max(most, volume);
  }
  s.call('csv');
  heap.push(s.wasm.HEAPU8.length / 1e6);
  if (minute >= SETTLED) assert.equal(heap[minute], heap[SETTLED - 1], `memory grew in minute ${minute + 1}`);
}
const used = process.cpuUsage(begin), seconds = (used.user + used.system) / 1e6;
const result = { minutes: +minutes, memory_mb: heap.at(-1), largest_volume_ml: +most.toFixed(1), times_real_time: +((60 * minutes) / seconds).toFixed(1) };
console.log(JSON.stringify(result));
assert.ok(most > 200, 'nobody breathed');
if (proof) writeFileSync(proof, `${JSON.stringify(result, null, 2)}\n`);
