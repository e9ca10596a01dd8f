// node page.mjs TOOLS CHROMIUM STUDIO_FOLDER: the page of a body that breathes.
import assert from 'node:assert/strict';
import { changes, chip, data, differing, download, finish, fitsPhone, isChosen, later, open, passed, pause, PHONE, pixels, playedFilm, range, shot, slide, until, validGlb } from './browser.mjs';

// Ready, breathing.
let page = await open('#speed=4');
console.log(`ready after ${page.readySeconds.toFixed(2)} s (body made in ${await data(page, 'made')} s)`);
await passed(page, 6);
const quiet = await range(page, 7);
assert.ok(quiet[1] - quiet[0] > 200, `volume does not move: ${quiet}`);

// Plots go on.
const PLOTS = ['volume', 'flow', 'pressure', 'drive'].map((name) => `#plot-${name} canvas`).concat('#plot-loop');
const plots = () => Promise.all(PLOTS.map((plot) => pixels(page, plot)));
const drawnBefore = await plots();
let idle;
await until(async () => {
  const drawn = await plots();
  idle = PLOTS.filter((_, i) => differing(drawnBefore[i], drawn[i]) <= 0.002);
  return idle.length === 0;
}, () => `${idle} stand still`);

// Another style takes effect.
await chip(page, 'styles', 'deep');
await later(page, 4);
const deep = await range(page, 8);
console.log(`volumes: casual ${quiet.map(Math.round)}, deep ${deep.map(Math.round)} mL`);
assert.ok(deep[1] > 1.4 * quiet[1], 'a deep breath is no deeper');
await shot(page, 'skin');

// Files: what was recorded.
await validGlb(await download(page, 'save-glb', 'pneuma-breathe.glb'));
assert.match((await download(page, 'save-csv', 'pneuma-breathe.csv')).toString(), /lung_volume/);
assert.equal((await download(page, 'save-png', 'pneuma.png')).subarray(1, 4).toString(), 'PNG');
await page.click('#film');
await page.waitForFunction(() => +document.body.dataset.filmed > 20000); // bytes
const film = await playedFilm(page, await download(page, 'film', 'pneuma.webm'));
console.log(`film: ${JSON.stringify(film)}`);
assert.ok(film.width > 400 && film.height > 300 && film.frames === 3, 'the film shows nothing');

// A recording drives, a bad one is named and changes nothing.
const follow = async (name, text) => page.setInputFiles('#file', { name, mimeType: 'text/csv', buffer: Buffer.from(text) });
await follow('broken.csv', 'time,volume\n0,zero\n1,one\n');
await page.waitForSelector('#banner:not([hidden])');
const message = await page.textContent('#banner-text');
console.log(`banner: ${message}`);
assert.match(message, /broken\.csv/);
await shot(page, 'banner');
await page.click('#banner-close');
const fast = Array.from({ length: 400 }, (_, i) => `${(i * 0.05).toFixed(2)},${(0.4 * (1 - Math.cos(i * 0.05 * 2 * Math.PI / 2))).toFixed(4)}`);
await follow('fast.csv', `time,volume\n${fast.join('\n')}\n`);
await page.waitForSelector('body[data-following="fast.csv"]');
await later(page, 3);
const followed = await range(page, 3);
console.log(`a recording without units: ${followed.map(Math.round)} mL`);
// As large as a quiet breath, since it does not say how large it is; before it the body breathed deeply.
assert.ok(followed[1] > 350 && followed[1] < 650 && followed[0] < 150, 'the recording does not drive');

// Still: layers, cut and colours change pixels.
await pause(page);
await changes(page, 0.02, 'skin off', () => chip(page, 'layers', 'skin'));
await changes(page, 0.02, 'bones on', () => chip(page, 'layers', 'bones'));
await changes(page, 0.01, 'muscles on', () => chip(page, 'layers', 'muscles'));
await shot(page, 'muscles');
await changes(page, 0.01, 'activation as colour', () => page.click('#activation'));
await shot(page, 'activation');
await page.click('#activation');
await chip(page, 'layers', 'muscles');
for (const layer of ['lungs', 'diaphragm', 'gut']) await changes(page, 0.001, `${layer} on`, () => chip(page, 'layers', layer));
await changes(page, 0.02, 'skin as a veil', () => chip(page, 'layers', 'skin'));
await shot(page, 'inside');
await changes(page, 0.005, 'cut', () => page.selectOption('#cut-axis', 'side'));
await shot(page, 'cut');
await page.selectOption('#cut-axis', 'off');
await changes(page, 0.1, 'x-ray', () => page.click('#xray'));
await shot(page, 'xray');
await page.click('#xray');
await page.selectOption('#cut-axis', 'side');
await changes(page, 0.3, 'light', () => page.click('#theme'));

// A link brings everything back.
const link = new URL(page.url()).hash;
for (const word of ['layers=', 'cut=side', 'style=deep', 'theme=light']) assert.ok(link.includes(word), `${word} is not in ${link}`);
await page.close();
page = await open(link);
assert.equal(await page.getAttribute('html', 'data-theme'), 'light');
assert.ok(await isChosen(page, 'styles', 'deep'));
await page.click('#play'); // the link was made in a pause
await page.selectOption('#speed', '4');
await passed(page, 8);
await shot(page, 'light');

// Without its diaphragm a body breathes less (by how much, verify_one_cage says).
await chip(page, 'styles', 'casual');
await slide(page, 'knob-drive_diaphragm', 0);
await later(page, 6);
const paralysed = await range(page, 7);
console.log(`without a diaphragm: ${paralysed.map(Math.round)} mL`);
assert.ok(paralysed[1] - paralysed[0] < 0.8 * (quiet[1] - quiet[0]), 'a paralysed diaphragm changes nothing');

// Another person is another body, skin and lungs alike.
const him = { tall: await data(page, 'tall'), frc: await data(page, 'frc') };
await chip(page, 'sex', 'female');
await page.waitForSelector('body[data-sex="female"]');
await slide(page, 'person-height', 1.55);
await page.waitForSelector('body[data-height="1.55"]');
await page.waitForFunction((before) => +document.body.dataset.tall < before - 0.1, him.tall);
const her = { tall: await data(page, 'tall'), frc: await data(page, 'frc') };
console.log(`he is ${him.tall} m tall and holds ${him.frc} mL, she ${her.tall} m and ${her.frc} mL`);
assert.ok(Math.abs(her.tall - 1.55) < 0.03, `her skin is ${her.tall} m tall`);
assert.ok(her.frc < 0.9 * him.frc, 'her lungs are his');

// Another posture is another body. In a pause its time stays at its beginning.
await pause(page);
await chip(page, 'postures', 'supine');
await page.waitForFunction(() => +document.body.dataset.time < 1);
await page.close();

// Keys, travel, loop.
page = await open('#travel=1&speed=4&view=chest&style=deep');
await passed(page, 14);
await page.focus('#view');
await page.keyboard.press('l');
await page.waitForSelector('#loop[aria-pressed="true"]');
await shot(page, 'travel');
await page.keyboard.press('l');
// The space bar stops it and lets it go on.
await pause(page, () => page.keyboard.press(' '));
const stopped = await data(page, 'time');
await page.waitForTimeout(600);
assert.equal(await data(page, 'time'), stopped, 'the space bar does not pause');
await page.keyboard.press(' ');
await later(page, 0.5);
await page.close();

// A link that asks for what there is not gives what there is.
page = await open('#style=nonsense&posture=nowhere');
assert.ok(await isChosen(page, 'styles', 'casual'));
assert.ok(await isChosen(page, 'postures', 'standing'));
await passed(page, 0.5);
await page.close();

// A phone.
page = await open('', PHONE);
await fitsPhone(page);
await passed(page, 1.5);
assert.ok(await page.$eval('#status', (status) => status.scrollWidth <= status.clientWidth), 'the status is clipped on a phone');
await shot(page, 'phone');
// Every control has a name.
const nameless = await page.evaluate(() =>
  [...document.querySelectorAll('button, select, input')].filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.closest('label')?.textContent.trim())).map((e) => e.outerHTML));
assert.deepEqual(nameless, []);
await page.close();

await finish();
