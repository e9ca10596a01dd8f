// node check_in_three.mjs <folder with node_modules> <examples/breath_shape> <folder of example_person>
// The example breathes a three.js mesh: where the library says, at any type and depth; held, off, faster.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [tools, examples, folder] = process.argv.slice(2);
const three = join(resolve(tools), "node_modules/three");
const THREE = await import(pathToFileURL(join(three, "build/three.module.js")));
const { GLTFLoader } = await import(pathToFileURL(join(three, "examples/jsm/loaders/GLTFLoader.js")));
const { BreathShape, breatheMesh } = await import(pathToFileURL(resolve(examples, "breath_shape.mjs")));
const facts = JSON.parse(readFileSync(join(folder, "facts.json")));
const bufferOf = (name) => {
  const bytes = readFileSync(join(folder, name));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
};

let failed = false;
function check(condition, message) {
  if (condition) return;
  console.error("FAILED: " + message);
  failed = true;
}
const gltf = await new GLTFLoader().parseAsync(bufferOf("perform.glb"), "");
let mesh;
gltf.scene.traverse((o) => { if (o.isMesh) mesh = o; });
const shown = () => Array.from({ length: mesh.geometry.attributes.position.count },
  (_, i) => mesh.getVertexPosition(i, new THREE.Vector3()).toArray());
const furthest = (a, b) => a.reduce((most, p, i) => Math.max(most, Math.hypot(...p.map((x, k) => x - b[i][k]))), 0);

// The file's own animation first: half a breath in is type 0.5, depth 1.
const moment = (type, depth, share) => facts.moments.find((m) => m.type === type && m.depth === depth && m.share === share);
const mixer = new THREE.AnimationMixer(gltf.scene);
mixer.clipAction(THREE.AnimationClip.findByName(gltf.animations, "breath")).play();
mixer.setTime(facts.seconds / 2);
const played = furthest(shown(), moment(0.5, 1, 0.5).skin);
check(played < 1e-5, `the animation is ${1e3 * played} mm off`);
mixer.stopAllAction();

const person = new BreathShape(bufferOf("person.breathshape"));
const breathing = breatheMesh(THREE, mesh, person);
breathing.rate = facts.rate;
breathing.tidal = facts.tidal;
let worst = 0, travel = 0;
const rest = moment(0.5, 0, 0.5).skin;
for (const m of facts.moments) {
  Object.assign(breathing, { type: m.type, depth: m.depth, phase: m.share });
  breathing.update(0);
  worst = Math.max(worst, furthest(shown(), m.skin));
  travel = Math.max(travel, furthest(shown(), rest));
}
console.log(`three.js ${THREE.REVISION}: ${facts.moments.length} moments within ${(1e3 * worst).toFixed(5)} mm, travel ${(1e3 * travel).toFixed(1)} mm`);
check(worst < 1e-5, `${1e3 * worst} mm off`); // 16 bits of a component
check(travel > 2e-3, "the skin does not breathe");
Object.assign(breathing, { type: 0.5, depth: 1, phase: 0 });
breathing.update(facts.seconds / 4);
check(Math.abs(breathing.phase - 0.25) < 1e-12 && furthest(shown(), moment(0.5, 1, 0.25).skin) < 1e-5, "rate");
breathing.hold = true;
breathing.update(1);
check(breathing.phase === 0.25, "a held breath goes on");
breathing.off = true;
breathing.update(1);
check(furthest(shown(), rest) === 0 || furthest(shown(), rest) < 1e-7, "off is not rest");
// The studio's skin of the same person, by the lungs of a session.
const { LearnedSkin } = await import(pathToFileURL(resolve(examples, "../../apps/studio/src/learned.js")));
const layoutOf = (count) => ({ set: () => ({ first: 2, count }), scalarIndex: (name) => ["breath/lung_volume", "breath/flow"].indexOf(name) });
const live = new LearnedSkin(bufferOf("person.breathshape"), layoutOf(person.vertices));
for (const m of facts.moments.filter((m) => m.depth === 1)) {
  const angle = 2 * Math.PI * m.share, half = 500 * facts.tidal; // [mL]
  const frame = {
    scalars: [half * (1 - Math.cos(angle)), half * ((2 * Math.PI * facts.rate) / 60) * Math.sin(angle)],
    points: new Float32Array(3 * (2 + person.vertices)),
  };
  live.into(frame, m.type);
  const skin = m.skin.map((_, i) => [0, 1, 2].map((k) => frame.points[3 * (2 + i) + k]));
  check(furthest(skin, m.skin) < 1e-5 && frame.points.slice(0, 6).every((x) => x === 0), "the studio's skin");
}
let otherSkin = "";
try { new LearnedSkin(bufferOf("person.breathshape"), layoutOf(7)); } catch (error) { otherSkin = error.message; }
check(/7$/.test(otherSkin), "another skin was taken");
for (const broken of [new ArrayBuffer(8), bufferOf("person.breathshape").slice(0, -1), bufferOf("perform.glb")]) {
  let refused = false;
  try { new BreathShape(broken); } catch { refused = true; }
  check(refused, `${broken.byteLength} broken bytes were taken`);
}
process.exit(failed ? 1 : 0);
