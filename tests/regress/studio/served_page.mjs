// node served_page.mjs TOOLS CHROMIUM STUDIO_FOLDER PNEUMA: the page as `pneuma studio` serves it, with what only the program can do.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chip, data, finish, open, shot, slide, text } from './browser.mjs';

const [, , studio, pneuma] = process.argv.slice(2);
const runs = mkdtempSync(join(tmpdir(), 'pneuma_studio_'));
mkdirSync(join(runs, 'earlier'));
writeFileSync(join(runs, 'earlier', 'run.toml'), 'verb = "live"\n');
writeFileSync(join(runs, 'earlier', 'report.html'), '<title>an earlier run</title>');
const server = spawn(pneuma, ['studio', '--json', '--runs', runs, '--page', resolve(studio, 'studio.html')], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  let told = '';
  for await (const piece of server.stdout) if ((told += piece).includes('}')) break;
  const { address } = JSON.parse(told);
  const page = await open('', undefined, address);

  // Its runs, each in an origin of its own.
  await page.waitForFunction(() => document.body.dataset.runs === '1');
  await page.$eval('#runs', (panel) => (panel.open = true));
  const [report] = await Promise.all([page.context().waitForEvent('page'), page.click('#run-list a')]);
  await report.waitForLoadState();
  assert.equal(await report.title(), 'an earlier run');
  assert.equal(await report.evaluate(() => self.origin), 'null');
  await report.close();

  // What a film cannot have is said, and nothing begins.
  await page.waitForSelector('#films:not([hidden])');
  await page.$eval('#films', (panel) => (panel.open = true));
  await slide(page, 'knob-drive_diaphragm', 0.5);
  await page.click('#film-start');
  await page.waitForSelector('#banner:not([hidden])');
  assert.match(await page.textContent('#banner-text'), /drive_diaphragm/);
  await page.click('#banner-close');
  assert.equal(await text(page, 'film'), 'none');
  await page.click('#reset');

  // A film is made, and cancelled leaves nothing behind.
  await chip(page, 'film-flesh', 'preview');
  await chip(page, 'film-flesh', 'none');
  await slide(page, 'film-seconds', 20);
  await page.click('#film-start');
  await page.waitForSelector('body[data-film="running"]');
  await page.waitForFunction(() => /%/.test(document.getElementById('film-state').textContent) && document.getElementById('film-progress').value > 0);
  assert.ok(await page.isDisabled('#film-start'));
  await page.$eval('#film-state', (state) => state.scrollIntoView());
  await shot(page, 'film');
  await page.click('#film-cancel');
  await page.waitForSelector('body[data-film="cancelled"]');
  assert.deepEqual(readdirSync(runs), ['earlier']);
  assert.ok(!(await page.isDisabled('#film-start')));
  assert.ok((await data(page, 'time')) > 0);
  await finish(/400 \(Bad Request\)/);
} finally {
  server.kill();
  rmSync(runs, { recursive: true });
}
