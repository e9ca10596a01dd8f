// node check_valid.mjs <folder with node_modules> <before.glb> <after.glb>
// The Khronos validator finds no error in what comes back, and no warning that the file did not have before.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, ...files] = process.argv.slice(2);
const validator = createRequire(resolve(folder, "index.js"))("gltf-validator");
const [before, after] = await Promise.all(files.map(async (file) => {
  const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(file)));
  console.log(`${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
  return issues;
}));
const known = new Set(before.messages.map((m) => m.code + m.pointer));
const fresh = after.messages.filter((m) => m.severity < 2 && !known.has(m.code + m.pointer));
for (const m of fresh) console.log(`  ${m.code} at ${m.pointer}: ${m.message}`);
process.exit(after.numErrors + fresh.length > 0 ? 1 : 0);
