// The studio's page as visitors meet it, from a disk or a server, in a real browser. Pictures go to STUDIO_FOLDER/shots.
// On a slow machine everything is late: wait for what shall be, never for a time.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [tools, chromium, studio] = process.argv.slice(2);
const PATIENCE = 120000; // [ms]
const require = createRequire(resolve(tools, 'index.js'));
const shots = resolve(studio, 'shots');
mkdirSync(shots, { recursive: true });
const onDisk = pathToFileURL(resolve(studio, 'studio.html')).href;
/** What a microphone hears: a hum of four seconds, and as long nothing. */
function writeHum(path) {
  const RATE = 16000, count = 8 * RATE, wav = Buffer.alloc(44 + 2 * count);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + 2 * count, 4);
  wav.write('WAVEfmt ', 8);
  [16, 1 | (1 << 16), RATE, 2 * RATE, 2 | (16 << 16)].forEach((x, i) => wav.writeUInt32LE(x, 16 + 4 * i));
  wav.write('data', 36);
  wav.writeUInt32LE(2 * count, 40);
  for (let i = 0; i < count / 2; ++i) wav.writeInt16LE(Math.round(12000 * Math.sin((2 * Math.PI * 200 * i) / RATE)), 44 + 2 * i);
  writeFileSync(path, wav);
  return path;
}
const browser = await require('playwright-core').chromium.launch({
  executablePath: chromium,
  timeout: PATIENCE,
  args: [
    '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${writeHum(resolve(studio, 'hum.wav'))}`,
  ],
});
const complaints = [], requests = [];

export async function open(link = '', size = { width: 1280, height: 800 }, address = onDisk) {
  const page = await browser.newPage({ viewport: size, acceptDownloads: true, colorScheme: 'dark' });
  page.on('console', (m) => m.type() === 'error' && complaints.push(m.text()));
  page.on('pageerror', (e) => complaints.push(e.message));
  page.on('request', (r) => /^https?:/.test(r.url()) && new URL(r.url()).host !== new URL(address).host && requests.push(r.url()));
  page.setDefaultTimeout(PATIENCE);
  const begin = Date.now();
  await page.goto(address + link);
  await page.waitForSelector('body[data-state="ready"]');
  page.readySeconds = (Date.now() - begin) / 1000;
  return page;
}

export const text = (page, name) => page.evaluate((n) => document.body.dataset[n], name);
export const data = async (page, name) => +(await text(page, name));
/** Simulated time has come this far [s], or so much farther than it is now. */
export const passed = (page, seconds) => page.waitForFunction((until) => +document.body.dataset.time >= until, seconds, { polling: 100 });
export const later = async (page, seconds) => passed(page, (await data(page, 'time')) + seconds);
/** Volumes of some simulated seconds, of every frame: [lowest, highest] in mL. */
export const range = (page, seconds) =>
  page.evaluate((length) => new Promise((done) => {
    const { dataset } = document.body, end = +dataset.time + length;
    let low = Infinity, high = -Infinity;
    const watch = new MutationObserver(() => {
      low = Math.min(low, +dataset.volume);
      high = Math.max(high, +dataset.volume);
      if (+dataset.time < end) return;
      watch.disconnect();
      done([low, high]);
    });
    watch.observe(document.body, { attributes: true, attributeFilter: ['data-time'] });
  }), seconds);
/** It rests: no frame is on its way any more. */
export async function pause(page, stop = () => page.click('#play')) {
  await stop();
  await page.waitForSelector('body[data-running="0"]');
}
export const shot = (page, name) => page.screenshot({ path: resolve(shots, `${name}.png`) });

/** A canvas as it is shown, small. As text it is handed over quickly. */
export const pixels = async (page, canvas = '#view') =>
  Buffer.from(await page.$eval(canvas, (view) => {
    const small = document.createElement('canvas');
    small.width = 240;
    small.height = 150;
    const context = small.getContext('2d');
    context.drawImage(view, 0, 0, 240, 150);
    return Array.from(context.getImageData(0, 0, 240, 150).data, (x) => String.fromCharCode(x)).join('');
  }), 'latin1');
/** Share of pixels by which two of them differ; lines on a clear ground differ in their opacity. */
export function differing(before, after) {
  const off = (i) => Math.abs(before[i] - after[i]);
  let count = 0;
  for (let i = 0; i < before.length; i += 4) count += off(i) + off(i + 1) > 12 || off(i + 3) > 12;
  return count / (before.length / 4);
}
/** Waits until `look()` gives something true, and gives that. What `what()` says is the failure's message. */
export async function until(look, what) {
  for (const end = Date.now() + PATIENCE; ; await new Promise((done) => setTimeout(done, 100))) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, what());
  }
}
/** So many frames were drawn, with all that was asked for before. */
export const frames = (page, count) =>
  page.evaluate((n) => new Promise((done) => (function next(left) {
    if (left === 0) return done();
    requestAnimationFrame(() => next(left - 1));
  })(n)), count);
/** The view of a body that rests, when all that was asked for is drawn: the same picture three times, with frames between them. */
export async function still(page) {
  let picture = await pixels(page), same = 0;
  return until(async () => {
    await frames(page, 2);
    const now = await pixels(page);
    same = differing(picture, now) === 0 ? same + 1 : 0;
    picture = now;
    return same === 2 && picture;
  }, () => 'the view of a body that rests goes on changing');
}
/** An action changes at least this share of the view of a body that rests. Gives the share. */
export async function changes(page, least, what, action) {
  const before = await still(page);
  await action();
  let share = 0;
  return until(async () => (share = differing(before, await still(page))) > least && share, () => `${what} changes ${share} of the view, not ${least}`);
}

/** A slider moved to a value, as a visitor does. */
export const slide = (page, id, value) =>
  page.$eval(`#${id}`, (input, to) => {
    input.value = to;
    for (const event of ['input', 'change']) input.dispatchEvent(new Event(event, { bubbles: true }));
  }, String(value));
export const chip = (page, group, name) => page.click(`#${group} button[data-name="${name}"]`);
export const isChosen = async (page, group, name, state = 'aria-checked') =>
  (await page.getAttribute(`#${group} button[data-name="${name}"]`, state)) === 'true';

/** Bytes of the file that a button gives, as `name`. */
export async function download(page, button, name) {
  const waiting = page.waitForEvent('download', { timeout: 300000 });
  await page.click(`#${button}`);
  const complaint = page.waitForSelector('#banner:not([hidden])', { timeout: 300000 }).then(() => page.textContent('#banner-text'), () => null);
  const file = await Promise.race([waiting, complaint]);
  assert.ok(file && typeof file !== 'string', `${button}: ${file}`);
  assert.equal(file.suggestedFilename(), name);
  const path = resolve(studio, name);
  await file.saveAs(path);
  return readFileSync(path);
}
/** What Khronos' validator says of a GLB that is animated and has a skin; and its JSON. */
export async function validGlb(bytes) {
  const report = await require('gltf-validator').validateBytes(new Uint8Array(bytes));
  assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages.slice(0, 5)));
  assert.ok(report.info.animationCount > 0 && report.info.totalTriangleCount > 20000);
  return JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
}

/** The browser itself plays a film, until some frames were seen: its size and their number. */
export const playedFilm = (page, bytes) =>
  page.evaluate(async (text) => {
    const video = Object.assign(document.createElement('video'), { muted: true, src: `data:video/webm;base64,${text}` });
    let frames = 0;
    await new Promise((done, failed) => {
      (function count() {
        video.requestVideoFrameCallback(() => (++frames === 3 ? done() : count()));
      })();
      video.onended = done;
      video.onerror = () => failed(new Error(video.error.message));
      video.play();
    });
    return { width: video.videoWidth, height: video.videoHeight, frames };
  }, bytes.toString('base64'));

/** On a phone nothing is wider than it, and the body can be stopped. */
export async function fitsPhone(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels wide on a phone`);
  const play = await page.locator('#play').boundingBox();
  assert.ok(play.x >= 0 && play.y + play.height <= 844, 'no play button on a phone');
}
export const PHONE = { width: 390, height: 844 };

/** `expected`: what the console may say. */
export async function finish(expected = /^$/) {
  assert.deepEqual(complaints.filter((c) => !expected.test(c)), [], 'the console has errors');
  assert.deepEqual(requests, [], 'the page asks the network');
  await browser.close();
}
