// node check_in_three.mjs <folder with node_modules> <folder with body.glb, plain.glb, asset.json> <docs/game-assets.md>
// Loads the assets with three.js and plays them by the snippet of the docs, run as it is printed there. Every
// vertex must be where Pneuma's own evaluation puts it, at any depth of breath.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [tools, folder, page] = process.argv.slice(2);
const snippet = readFileSync(page, "utf8").match(/```js\n([\s\S]*?)```/)[1];
const module = join(resolve(tools), "play.mjs"); // beside node_modules, so that its imports are found
writeFileSync(module, snippet);
const three = join(resolve(tools), "node_modules/three");
const THREE = await import(pathToFileURL(join(three, "build/three.module.js")));
const { GLTFLoader } = await import(pathToFileURL(join(three, "examples/jsm/loaders/GLTFLoader.js")));
// Node has no pictures: textures of an asset stay empty here.
const newLoader = () =>
  new GLTFLoader().register(() => ({ name: "no pictures", loadTexture: () => Promise.resolve(new THREE.Texture()) }));
const { play, addLevels } = await import(pathToFileURL(module));

const facts = JSON.parse(readFileSync(join(folder, "asset.json")));
let failed = false;
function check(condition, message) {
  if (condition) return;
  console.error("FAILED: " + message);
  failed = true;
}
const warnings = [];
console.warn = (...words) => warnings.push(words.join(" "));

function load(file) {
  const bytes = readFileSync(join(folder, file));
  return newLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
}

/** Largest distance between the vertices of a mesh and where they should be [m]. */
function furthest(mesh, expected) {
  check(mesh.geometry.attributes.position.count === expected.length, `${mesh.name}: other vertex count`);
  const point = new THREE.Vector3();
  let most = 0;
  for (let i = 0; i < expected.length; ++i) {
    mesh.getVertexPosition(i, point); // morph targets and joints applied
    mesh.localToWorld(point);
    most = Math.max(most, point.distanceTo(new THREE.Vector3(...expected[i])));
  }
  return most;
}

for (const file of ["body.glb", "plain.glb"]) {
  const gltf = await load(file);
  const names = gltf.animations.map((a) => a.name);
  check(names.join() === "motion,breath", `${file}: animations ${names}`);
  const skin = gltf.scene.getObjectByName("skin");
  check(skin.isSkinnedMesh, `${file}: the skin is no skinned mesh`);
  check(Object.keys(skin.morphTargetDictionary).join() === facts.targets.join(), `${file}: target names`);
  check(!skin.material.transparent && skin.geometry.attributes.uv && skin.geometry.attributes.tangent,
    `${file}: the skin wants an opaque material, UVs and tangents`);
  gltf.scene.updateMatrixWorld(true);
  for (const { name, pivot } of facts.joints) {
    const at = gltf.scene.getObjectByName(name).getWorldPosition(new THREE.Vector3());
    check(at.distanceTo(new THREE.Vector3(...pivot)) < 1e-6, `${file}: pivot of ${name}`);
  }

  const person = play(gltf);
  person.mixer.update(facts.time);
  for (const { depth, skin: vertices, bones } of facts.moments) {
    person.depth(depth);
    person.mixer.update(0);
    gltf.scene.updateMatrixWorld(true);
    const off = furthest(skin, vertices), bonesOff = furthest(gltf.scene.getObjectByName("bones"), bones);
    check(off < 1e-4 && bonesOff < 1e-4, `${file}, depth ${depth}: skin ${off} m, bones ${bonesOff} m off`);
    console.log(`${file}: depth ${depth}: skin ${(off * 1e3).toFixed(4)} mm, bones ${(bonesOff * 1e3).toFixed(4)} mm off`);
  }

  // Held, the breath stays while the motion goes on; at another rate it moves on by as much.
  person.depth(1);
  person.hold(true);
  const before = person.breath.time;
  person.mixer.update(0.5);
  check(person.breath.time === before, `${file}: a held breath moves`);
  check(Math.abs(person.motion.time - (facts.time + 0.5) % person.motion.getClip().duration) < 1e-6, `${file}: motion stops`);
  person.hold(false);
  person.rate(2);
  person.mixer.update(0.25);
  check(Math.abs(person.breath.time - before - 0.5) < 1e-6, `${file}: rate`);
  person.depth(0);
  person.mixer.update(0.1);
  check(skin.morphTargetInfluences.every((w) => Math.abs(w) < 1e-9), `${file}: breath off leaves weights`);

  // Levels of detail carry the same targets and joints.
  const lod = await addLevels(gltf);
  check(lod.levels.length === 3, `${file}: ${lod.levels.length} levels`);
  let last = Infinity;
  for (const { object } of lod.levels) {
    const triangles = object.geometry.index.count / 3;
    check(triangles < last, `${file}: a level has ${triangles} triangles after ${last}`);
    check(object.skeleton.bones[0] === skin.skeleton.bones[0], `${file}: a level has another skeleton`);
    check(object.morphTargetInfluences === skin.morphTargetInfluences, `${file}: a level does not breathe along`);
    last = triangles;
  }
}
check(warnings.length === 0, "three.js warns: " + warnings.join("; "));
process.exit(failed ? 1 : 0);
