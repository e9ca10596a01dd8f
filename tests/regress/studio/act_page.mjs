// node act_page.mjs TOOLS CHROMIUM STUDIO_FOLDER: the page of a body that acts by its muscles.
import assert from 'node:assert/strict';
import { changes, chip, data, download, finish, fitsPhone, frames, isChosen, later, open, passed, pause, PHONE, shot, slide, text, until, validGlb } from './browser.mjs';

const hand = async (page) => (await text(page, 'hand')).split(' ').map(Number);
const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
/** The right hand under the pointer, which shows that it can be taken. */
async function handle(page) {
  for (let tries = 0; tries < 50; ++tries) {
    await page.mouse.move(...((await text(page, 'handAt')) ?? '0 0').split(' ').map(Number));
    if ((await page.evaluate(() => document.getElementById('view').style.cursor)) === 'grab') break;
    await page.waitForTimeout(100);
  }
  assert.equal(await page.evaluate(() => document.getElementById('view').style.cursor), 'grab', 'the pointer finds nothing to take');
  return (await text(page, 'handAt')).split(' ').map(Number);
}
const weight = (page) => page.$eval('#act-weight_r', (e) => +e.value);

// A hand is found by the pointer, dragged, and its muscles bring it there.
const SMALL = { width: 900, height: 640 }, LARGE = { width: 1280, height: 800 }; // software draws every pixel
const largeShot = async (page, name) => {
  await page.setViewportSize(LARGE);
  await page.waitForFunction((width) => document.getElementById('view').width > width, SMALL.width);
  await frames(page, 2);
  await shot(page, name);
  await page.setViewportSize(SMALL);
};
let page = await open('#mode=act&layers=skin.muscles.bones.cartilages&opacity=0.3&activation=1&view=front', SMALL);
await passed(page, 0.3);
const rest = await hand(page), calm = await data(page, 'activations');
const [x, y] = await handle(page);
await page.mouse.down();
await until(() => isChosen(page, 'grasp', 'hand_r'), () => 'what is taken is not chosen');
for (let i = 1; i <= 3; ++i) await page.mouse.move(x - 8 * i, y - 30 * i);
await page.mouse.up();
await later(page, 1);
await until(async () => (await hand(page))[1] - rest[1] > 0.08 && (await data(page, 'away')) < 40, () => 'a dragged hand does not arrive');
await until(async () => (await data(page, 'error')) < 50, () => 'the pose is not followed');
const lifted = await hand(page), working = await data(page, 'activations');
console.log(`the hand went ${(1000 * distance(rest, lifted)).toFixed(0)} mm, ${(await data(page, 'away')).toFixed(1)} mm are left, activations ${calm.toFixed(1)} to ${working.toFixed(1)} in sum`);
assert.ok(Math.abs(working - calm) > 0.01 * calm, 'muscles do not change');
await largeShot(page, 'act_drag');
await page.keyboard.press('Escape');
await until(async () => distance(rest, await hand(page)) < 0.02, () => 'let go, the hand does not come back');

// Keys do the same.
await page.focus('#view');
for (let i = 0; i < 8; ++i) await page.keyboard.press('ArrowUp');
await page.keyboard.press('PageDown');
await until(async () => (await hand(page))[1] - rest[1] > 0.08, () => 'arrow keys do not lift the hand');
await page.waitForFunction(() => /Right hand to/.test(document.getElementById('grasp-state').textContent));

// A weight in a hand that is held up is work for muscles.
const empty = await data(page, 'activations');
await slide(page, 'act-weight_r', 6);
await page.waitForFunction((before) => +document.body.dataset.activations > 1.02 * before, empty);
assert.equal(await weight(page), 6);

// An exercise lets go of what was dragged, brings its own weights and moves the hand.
await chip(page, 'exercises', 'curl');
await page.waitForSelector('body[data-exercise="curl"]');
assert.ok(await page.isDisabled('#let-go'), 'an exercise holds on to what was dragged');
assert.notEqual(await weight(page), 6, 'the weight is not the one of the exercise');
assert.ok((await weight(page)) > 0, 'a curl without a weight');
assert.notEqual(await page.textContent('#exercise-meaning'), '');
await page.waitForFunction((low) => +document.body.dataset.hand.split(' ')[1] > low + 0.2, rest[1]);
await page.waitForSelector('body[data-strongest]:not([data-strongest=""])', { state: 'attached' });
await slide(page, 'act-weight_r', 3);
await slide(page, 'act-coactivation', 0.3);
await later(page, 0.2);

// Still: every line as a layer, and as colour of the muscles.
await pause(page);
await changes(page, 0.02, 'skin off', () => chip(page, 'layers', 'skin'));
await changes(page, 0.01, 'muscles off', () => chip(page, 'layers', 'muscles'));
const lines = await changes(page, 0.005, 'lines on', () => chip(page, 'layers', 'lines'));
assert.ok(lines < 0.25, `lines on, ${lines} of the view`);
await largeShot(page, 'act_lines');

// Files hold what was done: joints that turn, and every line's activation beside the weight.
const gltf = await validGlb(await download(page, 'save-glb', 'pneuma-act.glb'));
assert.ok(gltf.skins?.length > 0, 'no skin in the file');
const turning = gltf.animations[0].channels.filter((c) => c.target.path === 'rotation').map((c) => gltf.nodes[c.target.node].name);
assert.ok(turning.some((name) => /ulna_r/.test(name)), `the elbow does not turn: ${turning}`);
const [names, ...rows] = (await download(page, 'save-csv', 'pneuma-act.csv')).toString().trim().split('\n').map((line) => line.split(','));
const column = (pattern) => rows.map((row) => +row[names.findIndex((name) => pattern.test(name))]);
assert.ok(names.filter((name) => name.startsWith('activations_')).length > 800, 'lines are missing in the table');
assert.ok(Math.abs(column(/^loads_hand_r/).at(-1) - 3) < 1e-9, 'the weight is not in the table');
const biceps = column(/^activations_biceps.*_r/);
assert.ok(Math.max(...biceps) - Math.min(...biceps) > 0.05, 'a curl without its biceps');

// A link brings all of it back, also on a phone.
const link = new URL(page.url()).hash;
for (const word of ['mode=act', 'exercise=curl', 'weight_r=3', 'coactivation=0.3', 'layers=', 'lines']) assert.ok(link.includes(word), `${word} is not in ${link}`);
await page.close();
page = await open(link.replace('playing=0', 'playing=1'), PHONE);
await fitsPhone(page);
assert.ok(await isChosen(page, 'mode', 'act'));
assert.ok(await isChosen(page, 'exercises', 'curl'));
assert.ok(await isChosen(page, 'layers', 'lines', 'aria-pressed'));
assert.ok(!(await isChosen(page, 'layers', 'skin', 'aria-pressed')));
assert.equal(await text(page, 'exercise'), 'curl');
assert.equal(await weight(page), 3);
assert.equal(await page.$eval('#act-coactivation', (e) => +e.value), 0.3);
await passed(page, 0.3);
await shot(page, 'act_phone');

// Back to a body that breathes, in the same page.
await chip(page, 'mode', 'breathe');
await page.waitForSelector('body[data-mode="breathe"]');
await page.waitForFunction(() => +document.body.dataset.time > 0.1 && document.getElementById('unit').textContent === 'mL');
await fitsPhone(page);
await page.close();

await finish();
