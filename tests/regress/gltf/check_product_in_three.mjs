// node check_product_in_three.mjs <folder with node_modules> <docs/game-assets.md> <file.glb>...
// Files of the program itself in three.js, played by the snippet of the docs: names, pivots, a seam that closes, and
// depth, rate, hold and off at play time.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [tools, page, ...files] = process.argv.slice(2);
const snippet = readFileSync(page, "utf8").match(/```js\n([\s\S]*?)```/)[1];
const module = join(resolve(tools), "play_product.mjs"); // beside node_modules, so that its imports are found
writeFileSync(module, snippet);
const three = join(resolve(tools), "node_modules/three");
const THREE = await import(pathToFileURL(join(three, "build/three.module.js")));
const { GLTFLoader } = await import(pathToFileURL(join(three, "examples/jsm/loaders/GLTFLoader.js")));
// Node has no pictures: textures of an asset stay empty here.
const newLoader = () =>
  new GLTFLoader().register(() => ({ name: "no pictures", loadTexture: () => Promise.resolve(new THREE.Texture()) }));
const { play } = await import(pathToFileURL(module));

let failed = false;
function check(condition, message) {
  if (condition) return;
  console.error("FAILED: " + message);
  failed = true;
}

/** Some vertices of the skin as an engine shows them now. */
function skinNow(gltf, skin) {
  gltf.scene.updateMatrixWorld(true);
  const points = [];
  for (let i = 0; i < skin.geometry.attributes.position.count; i += 5) {
    const p = skin.getVertexPosition(i, new THREE.Vector3());
    points.push(skin.localToWorld(p));
  }
  return points;
}
const furthest = (a, b) => a.reduce((most, p, i) => Math.max(most, p.distanceTo(b[i])), 0);

for (const file of files) {
  const bytes = readFileSync(file);
  const gltf = await newLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
  const skin = gltf.scene.getObjectByName("skin");
  check(skin?.isSkinnedMesh, `${file}: no skinned skin`);
  const targets = Object.keys(skin.morphTargetDictionary);
  check(targets[0] === "breath_chest" && targets[1] === "breath_belly" && targets.length <= 5, `${file}: targets ${targets}`);
  check(skin.geometry.attributes.uv && skin.geometry.attributes.tangent, `${file}: no UVs or tangents`);
  gltf.scene.updateMatrixWorld(true);
  const pivot = (name) => gltf.scene.getObjectByName(name).getWorldPosition(new THREE.Vector3());
  check(pivot("rib_05_l").distanceTo(pivot("t05")) < 0.06, `${file}: the fifth rib does not turn at its vertebra`);

  const person = play(gltf);
  const seconds = person.breath.getClip().duration;
  if (person.motion) person.motion.stop();
  const shown = (time) => {
    person.breath.time = time;
    person.mixer.update(0);
    return skinNow(gltf, skin);
  };
  const first = shown(0), seam = furthest(first, shown(seconds - 1e-6));
  let travel = 0;
  for (let t = 0; t < seconds; t += 0.25) travel = Math.max(travel, furthest(first, shown(t)));
  console.log(`${file}: ${(bytes.length / 1e6).toFixed(2)} MB, breath ${seconds.toFixed(2)} s, travel ${(1e3 * travel).toFixed(1)} mm, seam ${(1e3 * seam).toFixed(4)} mm`);
  check(travel > 2e-3, `${file}: the skin does not breathe`);
  check(seam < 1e-4, `${file}: jumps by ${1e3 * seam} mm where it loops`);

  // Half the depth is about half the way; off is the end of a breath out; held, it stays.
  person.depth(0);
  const off = shown(seconds / 3);
  check(furthest(off, shown(0)) < 1e-6, `${file}: off still moves`);
  let whole = 0, half = 0;
  for (let t = 0; t < seconds; t += 0.25) {
    person.depth(1);
    whole = Math.max(whole, furthest(off, shown(t)));
    person.depth(0.5);
    half = Math.max(half, furthest(off, shown(t)));
  }
  check(half > 0.4 * whole && half < 0.6 * whole, `${file}: half the depth moves ${half / whole} of the way`);
  person.depth(1);
  person.breath.time = 0.5;
  person.rate(2);
  person.mixer.update(0.25);
  check(Math.abs(person.breath.time - 1) < 1e-6, `${file}: rate`);
  person.hold(true);
  person.mixer.update(0.25);
  check(Math.abs(person.breath.time - 1) < 1e-6, `${file}: a held breath goes on`);
}
process.exit(failed ? 1 : 0);
