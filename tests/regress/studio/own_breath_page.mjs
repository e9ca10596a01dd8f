// node own_breath_page.mjs TOOLS CHROMIUM STUDIO_FOLDER: the visitor's own breath, dropped or spoken, and a link to hand on.
import assert from 'node:assert/strict';
import { chip, data, finish, later, open, range, shot, until } from './browser.mjs';

const page = await open('#speed=2');

// A belt's recording is dropped onto the page: what falls down is seen, and drives.
const wave = Array.from({ length: 500 }, (_, i) => `${(i * 0.04).toFixed(2)},${(50 * (1 - Math.cos((i * 0.04 * 2 * Math.PI) / 2.5))).toFixed(2)}`);
const dropped = await page.evaluateHandle((text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], 'belt.csv', { type: 'text/csv' }));
  return data;
}, `time,belt\n${wave.join('\n')}\n`);
await page.dispatchEvent('body', 'dragenter', { dataTransfer: dropped });
await page.waitForSelector('#drop:not([hidden])');
await page.dispatchEvent('body', 'drop', { dataTransfer: dropped });
await page.waitForSelector('body[data-following="belt.csv"]');
assert.ok(await page.isHidden('#drop'));
await later(page, 3);
const belt = await range(page, 5);
console.log(`a belt's recording: ${belt.map(Math.round)} mL`);
// As large as a quiet breath: belts do not know litres.
assert.ok(belt[1] > 350 && belt[1] < 650 && belt[0] < 150, 'the recording is not followed');

// A microphone: it hums for four seconds, is silent for as long, over and over (browser.mjs). The louder, the fuller.
await page.selectOption('#speed', '1');
await page.click('#microphone');
await page.waitForSelector('#microphone[aria-pressed="true"]');
for (const times of [1, 2]) {
  await until(async () => (await data(page, 'volume')) > 700, () => `hum ${times} does not fill the lungs`);
  await until(async () => (await data(page, 'volume')) < 250, () => `silence ${times} does not empty them`);
}
await shot(page, 'microphone');
await page.click('#microphone');
await page.waitForSelector('#microphone[aria-pressed="false"]');
assert.ok(await page.isHidden('#following'));

// Released, the style goes on by itself.
await chip(page, 'styles', 'deep');
await page.selectOption('#speed', '4');
await later(page, 5);
const deep = await range(page, 9);
assert.ok(deep[1] > 700, `after the microphone a deep breath of ${deep} mL`);

// A link to hand on, from the button and from the keyboard.
await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
const copied = () => page.evaluate(() => navigator.clipboard.readText());
await page.click('#share');
await page.waitForSelector('#banner.good:not([hidden])');
assert.match(await copied(), /#.*style=deep/);
await page.focus('#view');
await page.keyboard.press('2');
await page.keyboard.press('t');
await page.keyboard.press('s');
await until(async () => /theme=light/.test(await copied()), () => 'the key S copies no link');
await page.close();

await finish();
