// node read_usda.mjs TOOLS FILE.usda: what TinyUSDZ, a reader of its own, finds in a file; as JSON.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [tools, file] = process.argv.slice(2);
const folder = resolve(tools, 'node_modules/tinyusdz');
// Built for browsers alone.
process.type = 'renderer';
globalThis.window = globalThis;
globalThis.document = {};
const { default: load } = await import(pathToFileURL(resolve(folder, 'tinyusdz.js')));
const usd = await load({ wasmBinary: readFileSync(resolve(folder, 'tinyusdz.wasm')) });
const reader = new usd.TinyUSDZLoaderNative();
if (!reader.loadAsLayerFromBinary(new Uint8Array(readFileSync(file)), file)) {
  console.error(reader.error());
  process.exit(1);
}
// Its own words for what it read.
const text = reader.layerToString();
const names = (kind) => [...text.matchAll(new RegExp(`def ${kind} "([^"]+)"`, 'g'))].map((m) => m[1]);
const list = (field) => {
  const found = text.match(new RegExp(`${field} = \\[([^\\]]*)\\]`));
  return found ? found[1].split('",').length : 0;
};
const points = {};
for (const [, mesh, numbers] of text.matchAll(/def Mesh "([^"]+)"[\s\S]*?point3f\[\] points = \[([^\]]*)\]/g))
  points[mesh] = numbers.match(/[-+.\deE]+/g).map(Number);
const samples = [...text.matchAll(/\.timeSamples = \{\s*([-\d.]+):/g)].length;
console.log(JSON.stringify({ meshes: names('Mesh'), skeletons: names('Skeleton'), shapes: names('BlendShape'), joints: list('uniform token\\[\\] joints'), samples, points }));
