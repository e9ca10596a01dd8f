// One page that needs nothing else: node build.mjs SOURCES SESSION_FOLDER BODY OUT
//
// SOURCES is apps/studio/src; packages come from the folder that this file was copied to (scripts/studio.sh).
// SESSION_FOLDER holds session.mjs and session.wasm (wasm/CMakeLists.txt), BODY is a packed body (pneuma body compile). Both are
// compressed and written into the page, so that it opens from a disk, from any static host and from `pneuma studio` alike.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const [sources, sessionFolder, bodyFile, out] = process.argv.slice(2);
if (!out) {
  console.error('usage: node build.mjs SOURCES SESSION_FOLDER BODY OUT');
  process.exit(2);
}

const nodePaths = [fileURLToPath(new URL('node_modules', import.meta.url))];
const common = { bundle: true, nodePaths, minify: true, write: false, target: 'es2022', charset: 'ascii', legalComments: 'none', logLevel: 'warning' };
const bundle = async (entry, more) => (await build({ ...common, entryPoints: [entry], ...more })).outputFiles[0].text;

const worker = await bundle(`${sources}/worker.js`, {
  format: 'iife',
  alias: { 'pneuma-session': `${sessionFolder}/session.mjs` },
  external: ['fs', 'path', 'module', 'url', 'crypto'],
});
const page = await bundle(`${sources}/main.js`, { format: 'iife' });
const style = await bundle(`${sources}/style.css`, {});
const packed = (bytes) => gzipSync(bytes, { level: 9 }).toString('base64');
const wasm = packed(readFileSync(`${sessionFolder}/session.wasm`));
const body = packed(readFileSync(bodyFile));
// No "</script" may end a script early.
const inScript = (text) => text.replace(/<\/(script)/gi, '<\\/$1');

const html = readFileSync(`${sources}/index.html`, 'utf8')
  .replace('/* style */', () => style)
  .replace('<!-- parts -->', () =>
    [
      `<script type="text/plain" id="part-wasm">${wasm}</script>`,
      `<script type="text/plain" id="part-body">${body}</script>`,
      `<script type="text/plain" id="part-worker">${Buffer.from(worker).toString('base64')}</script>`,
      `<script>${inScript(page)}</script>`,
    ].join('\n'));
writeFileSync(out, html);
const size = (text) => (0.75e-6 * text.length).toFixed(2);
console.log(JSON.stringify({ page: out, bytes: html.length, compressedSessionMB: +size(wasm), compressedBodyMB: +size(body) }));
