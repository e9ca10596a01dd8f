// node page.mjs TOOLS CHROMIUM STUDIO_FOLDER: the page as visitors meet it, from a disk, in a real browser.
// Pictures go to STUDIO_FOLDER/shots.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [tools, chromium, studio] = process.argv.slice(2);
const require = createRequire(resolve(tools, 'index.js'));
const playwright = require('playwright-core');
const validator = require('gltf-validator');
const shots = resolve(studio, 'shots');
mkdirSync(shots, { recursive: true });
const address = pathToFileURL(resolve(studio, 'studio.html')).href;

const browser = await playwright.chromium.launch({
  executablePath: chromium,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const complaints = [], requests = [];

async function open(link = '', size = { width: 1280, height: 800 }) {
  const page = await browser.newPage({ viewport: size, acceptDownloads: true, colorScheme: 'dark' });
  page.on('console', (m) => m.type() === 'error' && complaints.push(m.text()));
  page.on('pageerror', (e) => complaints.push(e.message));
  page.on('request', (r) => /^https?:/.test(r.url()) && requests.push(r.url()));
  page.setDefaultTimeout(120000);
  const begin = Date.now();
  await page.goto(address + link);
  await page.waitForSelector('body[data-state="ready"]');
  page.readySeconds = (Date.now() - begin) / 1000;
  return page;
}
const data = (page, name) => page.evaluate((n) => +document.body.dataset[n], name);
const passed = (page, seconds) =>
  page.waitForFunction((until) => +document.body.dataset.time >= until, seconds + 0, { polling: 100 });

/** Volumes of some simulated seconds: [lowest, highest] in mL. */
async function range(page, seconds) {
  const begin = await data(page, 'time');
  let low = Infinity, high = -Infinity, time = begin;
  while (time < begin + seconds) {
    const volume = await data(page, 'volume');
    low = Math.min(low, volume);
    high = Math.max(high, volume);
    await page.waitForTimeout(30);
    time = await data(page, 'time');
  }
  return [low, high];
}
/** Share of the view's pixels that an action changes. */
async function changed(page, action) {
  const pixels = () =>
    page.evaluate(() => {
      const view = document.getElementById('view'), small = document.createElement('canvas');
      small.width = 240;
      small.height = 150;
      const context = small.getContext('2d');
      context.drawImage(view, 0, 0, 240, 150);
      return [...context.getImageData(0, 0, 240, 150).data];
    });
  const before = await pixels(), drawn = await data(page, 'drawn');
  await action();
  await page.waitForFunction((n) => +document.body.dataset.drawn > n, drawn);
  await page.waitForTimeout(400);
  const after = await pixels();
  let count = 0;
  for (let i = 0; i < before.length; i += 4) count += Math.abs(before[i] - after[i]) + Math.abs(before[i + 1] - after[i + 1]) > 12;
  return count / (before.length / 4);
}
/** A slider moved to a value, as a visitor does. */
const slide = (page, id, value) =>
  page.$eval(`#${id}`, (input, to) => {
    input.value = to;
    for (const event of ['input', 'change']) input.dispatchEvent(new Event(event, { bubbles: true }));
  }, String(value));
const chip = (page, group, name) => page.click(`#${group} button[data-name="${name}"]`);

// Ready, breathing.
let page = await open('#speed=4');
console.log(`ready after ${page.readySeconds.toFixed(2)} s (body made in ${await data(page, 'made')} s)`);
await passed(page, 6);
const quiet = await range(page, 7);
assert.ok(quiet[1] - quiet[0] > 200, `volume does not move: ${quiet}`);

// Another style takes effect.
await chip(page, 'styles', 'deep');
await passed(page, (await data(page, 'time')) + 4);
const deep = await range(page, 8);
console.log(`volumes: casual ${quiet.map(Math.round)}, deep ${deep.map(Math.round)} mL`);
assert.ok(deep[1] > 1.4 * quiet[1], 'a deep breath is no deeper');
await page.screenshot({ path: resolve(shots, 'skin.png') });

// Files: what was recorded.
const download = async (button) => {
  const waiting = page.waitForEvent('download', { timeout: 300000 });
  await page.click(`#${button}`);
  const complaint = page.waitForSelector('#banner:not([hidden])', { timeout: 300000 }).then(() => page.textContent('#banner-text'), () => null);
  const file = await Promise.race([waiting, complaint]);
  assert.ok(file && typeof file !== 'string', `${button}: ${file}`);
  const path = resolve(studio, file.suggestedFilename());
  await file.saveAs(path);
  return readFileSync(path);
};
const report = await validator.validateBytes(new Uint8Array(await download('save-glb')));
assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages.slice(0, 5)));
assert.ok(report.info.animationCount > 0 && report.info.totalTriangleCount > 20000);
assert.match((await download('save-csv')).toString(), /lung_volume/);
assert.equal((await download('save-png')).subarray(1, 4).toString(), 'PNG');
await page.click('#film');
const filmed = await data(page, 'drawn');
await page.waitForFunction((n) => +document.body.dataset.drawn > n + 12, filmed);
await page.waitForTimeout(300);
const film = await download('film');
assert.ok(film.readUInt32BE(0) === 0x1a45dfa3 && film.length > 5000, `a film of ${film.length} bytes`); // WebM

// A recording drives, a bad one is named and changes nothing.
const follow = async (name, text) => page.setInputFiles('#file', { name, mimeType: 'text/csv', buffer: Buffer.from(text) });
await follow('broken.csv', 'time,volume\n0,zero\n1,one\n');
await page.waitForSelector('#banner:not([hidden])');
const message = await page.textContent('#banner-text');
console.log(`banner: ${message}`);
assert.match(message, /broken\.csv/);
await page.screenshot({ path: resolve(shots, 'banner.png') });
await page.click('#banner-close');
const fast = Array.from({ length: 400 }, (_, i) => `${(i * 0.05).toFixed(2)},${(0.4 * (1 - Math.cos(i * 0.05 * 2 * Math.PI / 2))).toFixed(4)}`);
await follow('fast.csv', `time,volume\n${fast.join('\n')}\n`);
await page.waitForSelector('body[data-following="fast.csv"]');

// Still: layers, cut and colours change pixels.
await page.click('#play');
assert.ok((await changed(page, () => chip(page, 'layers', 'skin'))) > 0.02, 'skin off');
assert.ok((await changed(page, () => chip(page, 'layers', 'bones'))) > 0.02, 'bones on');
assert.ok((await changed(page, () => chip(page, 'layers', 'muscles'))) > 0.01, 'muscles on');
await page.screenshot({ path: resolve(shots, 'muscles.png') });
assert.ok((await changed(page, () => page.click('#activation'))) > 0.01, 'activation as colour');
await page.screenshot({ path: resolve(shots, 'activation.png') });
await page.click('#activation');
await chip(page, 'layers', 'muscles');
for (const layer of ['lungs', 'diaphragm', 'gut']) assert.ok((await changed(page, () => chip(page, 'layers', layer))) > 0.001, `${layer} on`);
assert.ok((await changed(page, () => chip(page, 'layers', 'skin'))) > 0.02, 'skin as a veil');
await page.screenshot({ path: resolve(shots, 'inside.png') });
assert.ok((await changed(page, () => page.selectOption('#cut-axis', 'side'))) > 0.005, 'cut');
await page.screenshot({ path: resolve(shots, 'cut.png') });
await page.selectOption('#cut-axis', 'off');
assert.ok((await changed(page, () => page.click('#xray'))) > 0.1, 'x-ray');
await page.screenshot({ path: resolve(shots, 'xray.png') });
await page.click('#xray');
await page.selectOption('#cut-axis', 'side');
assert.ok((await changed(page, () => page.click('#theme'))) > 0.3, 'light');

// A link brings everything back.
const link = new URL(page.url()).hash;
for (const word of ['layers=', 'cut=side', 'style=deep', 'theme=light']) assert.ok(link.includes(word), `${word} is not in ${link}`);
await page.close();
page = await open(link);
assert.equal(await page.getAttribute('html', 'data-theme'), 'light');
assert.equal(await page.getAttribute('#styles button[data-name="deep"]', 'aria-checked'), 'true');
await page.screenshot({ path: resolve(shots, 'light.png') });

// Without its diaphragm a body breathes less.
await chip(page, 'styles', 'casual');
await slide(page, 'knob-drive_diaphragm', 0);
await page.click('#play'); // the link was made in a pause
await page.selectOption('#speed', '4');
await passed(page, (await data(page, 'time')) + 6);
const paralysed = await range(page, 7);
console.log(`without a diaphragm: ${paralysed.map(Math.round)} mL`);
assert.ok(paralysed[1] - paralysed[0] < 0.7 * (quiet[1] - quiet[0]), 'a paralysed diaphragm changes nothing');

// Another posture is another body. In a pause its time stays at its beginning.
await page.click('#play');
await chip(page, 'postures', 'supine');
await page.waitForFunction(() => +document.body.dataset.time < 1);
await page.close();

// Keys, travel, loop.
page = await open('#travel=1&speed=4&view=chest&style=deep');
await passed(page, 14);
await page.focus('#view');
await page.keyboard.press('l');
await page.waitForSelector('#loop[aria-pressed="true"]');
await page.screenshot({ path: resolve(shots, 'travel.png') });
await page.keyboard.press('l');
const time = await data(page, 'time');
await page.keyboard.press(' ');
await page.waitForTimeout(600);
const stopped = await data(page, 'time');
await page.waitForTimeout(600);
assert.equal(await data(page, 'time'), stopped, 'the space bar does not pause');
assert.ok(stopped >= time);
await page.close();

// A phone.
page = await open('', { width: 390, height: 844 });
const wide = await page.evaluate(() => document.documentElement.scrollWidth);
assert.ok(wide <= 390, `${wide} pixels wide on a phone`);
const play = await page.locator('#play').boundingBox();
assert.ok(play.x >= 0 && play.y + play.height <= 844, 'no play button on a phone');
await passed(page, 1.5);
await page.screenshot({ path: resolve(shots, 'phone.png') });
// Every control has a name.
const nameless = await page.evaluate(() =>
  [...document.querySelectorAll('button, select, input')].filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.closest('label')?.textContent.trim())).map((e) => e.outerHTML));
assert.deepEqual(nameless, []);
await page.close();

// A body that acts. A hand is found by the pointer, dragged, and its muscles bring it there.
const hand = async (page) => (await page.evaluate(() => document.body.dataset.hand)).split(' ').map(Number);
const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
/** The right hand under the pointer, which shows that it can be taken. */
async function handle(page) {
  for (let tries = 0; tries < 20; ++tries) {
    const at = (await page.evaluate(() => document.body.dataset.handAt ?? '0 0')).split(' ').map(Number);
    await page.mouse.move(...at);
    if ((await page.evaluate(() => document.getElementById('view').style.cursor)) === 'grab') return at;
    await page.waitForTimeout(100);
  }
  throw new Error('the pointer finds nothing to take');
}
page = await open('#mode=act&layers=skin.muscles.bones.cartilages&opacity=0.3&activation=1&view=front');
await passed(page, 0.3);
const rest = await hand(page), calm = await data(page, 'activations');
const [x, y] = await handle(page);
await page.mouse.down();
assert.equal(await page.getAttribute('#grasp button[data-name="hand_r"]', 'aria-checked'), 'true');
for (let i = 1; i <= 6; ++i) await page.mouse.move(x - 6 * i, y - 22 * i);
await page.mouse.up();
await passed(page, (await data(page, 'time')) + 2.5);
const lifted = await hand(page), working = await data(page, 'activations');
console.log(`act: the hand went ${(1000 * distance(rest, lifted)).toFixed(0)} mm, ${(await data(page, 'away')).toFixed(1)} mm are left, activations ${calm.toFixed(1)} to ${working.toFixed(1)} in sum`);
assert.ok(lifted[1] - rest[1] > 0.08, 'a dragged hand does not rise');
assert.ok((await data(page, 'away')) < 40, 'a dragged hand does not arrive');
assert.ok(Math.abs(working - calm) > 0.01 * calm, 'muscles do not change');
assert.ok((await data(page, 'error')) < 50, 'the pose is not followed');
await page.screenshot({ path: resolve(shots, 'act_drag.png') });
await page.keyboard.press('Escape');
await passed(page, (await data(page, 'time')) + 2.5);
assert.ok(distance(rest, await hand(page)) < 0.02, 'let go, the hand does not come back');

// Keys do the same.
await page.focus('#view');
for (let i = 0; i < 8; ++i) await page.keyboard.press('ArrowUp');
await page.keyboard.press('PageDown');
await passed(page, (await data(page, 'time')) + 2);
assert.ok((await hand(page))[1] - rest[1] > 0.08, 'arrow keys do not lift the hand');
assert.match(await page.textContent('#grasp-state'), /Right hand to/);

await page.close();

assert.deepEqual(complaints, [], 'the console has errors');
assert.deepEqual(requests, [], 'the page asks the network');
await browser.close();
