// node validate.mjs <folder with node_modules> <file.glb>
// Asks the Khronos glTF validator; fails on any error or warning.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, file] = process.argv.slice(2);
const validator = createRequire(resolve(folder, "index.js"))("gltf-validator");
const report = await validator.validateBytes(new Uint8Array(readFileSync(file)));
const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ${numHints} hints`);
for (const m of messages) console.log(`  ${m.code} at ${m.pointer}: ${m.message}`);
if (process.env.VERBOSE) console.log(JSON.stringify(report.info, null, 1));
process.exit(numErrors + numWarnings > 0 ? 1 : 0);
