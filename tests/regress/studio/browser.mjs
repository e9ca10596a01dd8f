// The studio's page as visitors meet it, from a disk or a server, in a real browser. Pictures go to STUDIO_FOLDER/shots.
// On a slow machine everything is late: wait for what shall be, never for a time.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [tools, chromium, studio] = process.argv.slice(2);
const require = createRequire(resolve(tools, 'index.js'));
const shots = resolve(studio, 'shots');
mkdirSync(shots, { recursive: true });
const onDisk = pathToFileURL(resolve(studio, 'studio.html')).href;
const browser = await require('playwright-core').chromium.launch({
  executablePath: chromium,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const complaints = [], requests = [];

export async function open(link = '', size = { width: 1280, height: 800 }, address = onDisk) {
  const page = await browser.newPage({ viewport: size, acceptDownloads: true, colorScheme: 'dark' });
  page.on('console', (m) => m.type() === 'error' && complaints.push(m.text()));
  page.on('pageerror', (e) => complaints.push(e.message));
  page.on('request', (r) => /^https?:/.test(r.url()) && new URL(r.url()).host !== new URL(address).host && requests.push(r.url()));
  page.setDefaultTimeout(120000);
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
export const shot = (page, name) => page.screenshot({ path: resolve(shots, `${name}.png`) });

/** A canvas as it is shown, small. */
export const pixels = (page, canvas = '#view') =>
  page.$eval(canvas, (view) => {
    const small = document.createElement('canvas');
    small.width = 240;
    small.height = 150;
    const context = small.getContext('2d');
    context.drawImage(view, 0, 0, 240, 150);
    return [...context.getImageData(0, 0, 240, 150).data];
  });
/** Share of pixels by which two of them differ; lines on a clear ground differ in their opacity. */
export function differing(before, after) {
  const off = (i) => Math.abs(before[i] - after[i]);
  let count = 0;
  for (let i = 0; i < before.length; i += 4) count += off(i) + off(i + 1) > 12 || off(i + 3) > 12;
  return count / (before.length / 4);
}
/** After an action the view was drawn again. */
export async function drawnAnew(page, action = () => {}) {
  const drawn = await data(page, 'drawn');
  await action();
  await page.waitForFunction((n) => +document.body.dataset.drawn > n, drawn);
  await page.waitForTimeout(400);
}
/** Share of the view's pixels that an action changes. */
export async function changed(page, action) {
  const before = await pixels(page);
  await drawnAnew(page, action);
  return differing(before, await pixels(page));
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
