// node check_in_browser.mjs <folder with node_modules> <hero.glb> <facts.json>
// Opens the character in headless Chromium with three.js, plays its actions and the breath together, draws it.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const PATIENCE = 120000; // [ms], with a machine that is busy with other things
const [tools, glb, factsFile] = process.argv.slice(2);
const facts = JSON.parse(readFileSync(factsFile));
const page = `<!doctype html><script type="importmap">{"imports": {"three": "/three/build/three.module.js"}}</script>
<script type="module">
import * as THREE from "three";
import { GLTFLoader } from "/three/examples/jsm/loaders/GLTFLoader.js";
async function look() {
  const gltf = await new GLTFLoader().loadAsync("/hero.glb");
  const scene = new THREE.Scene();
  scene.add(gltf.scene, new THREE.HemisphereLight(0xffffff, 0x404040, 3));
  const body = [];
  gltf.scene.traverse((o) => { if (o.isSkinnedMesh && o.morphTargetDictionary?.smile !== undefined) body.push(o); });
  const clip = (name) => gltf.animations.find((a) => a.name === name);
  const points = (names, time) => {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    for (const name of names) mixer.clipAction(clip(name)).play();
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    const list = [];
    for (let i = 0; i < body[0].geometry.attributes.position.count; ++i)
      list.push(body[0].localToWorld(body[0].getVertexPosition(i, new THREE.Vector3())));
    mixer.stopAllAction();
    return list;
  };
  const furthest = (a, b) => 1e3 * a.reduce((most, p, i) => Math.max(most, p.distanceTo(b[i])), 0);
  const period = clip("breath").duration;
  const renderer = new THREE.WebGLRenderer();
  renderer.setSize(200, 300);
  document.body.append(renderer.domElement);
  const camera = new THREE.PerspectiveCamera(40, 2 / 3, 0.1, 10);
  camera.position.set(0, 0.9, 3);
  renderer.render(scene, camera);
  const rest = points([], 0), merged = clip("nod+breath");
  return {
    clips: gltf.animations.map((a) => a.name),
    targets: Object.keys(body[0].morphTargetDictionary),
    textured: Boolean(body[0].material.map),
    period,
    triangles: renderer.info.render.triangles,
    breath: furthest(rest, points(["breath"], period / 2)),
    seam: furthest(points(["breath"], 0), points(["breath"], period - 1e-6)),
    nod: furthest(rest, points(["nod"], 0.5)),
    both: furthest(points(["nod"], 0.5), points(["nod", "breath"], 0.5)),
    merged: furthest(points(["nod", "breath"], 0.5), points(["nod+breath"], 0.5 * merged.duration / period)),
    mergedSeam: furthest(points(["nod+breath"], 0), points(["nod+breath"], merged.duration - 1e-5)),
    mergedSeconds: merged.duration,
  };
}
window.result = look().catch((e) => ({ error: String(e?.stack ?? e) }));
</script>`;

const three = join(resolve(tools), "node_modules/three");
const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.split("?")[0]);
  const file = path === "/hero.glb" ? glb : path.startsWith("/three/") ? join(three, path.slice(7)) : null;
  const type = path.endsWith(".js") ? "text/javascript" : path === "/" ? "text/html" : "application/octet-stream";
  try {
    response.setHeader("Content-Type", type);
    response.end(path === "/" ? page : readFileSync(file));
  } catch {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const { chromium } = createRequire(join(resolve(tools), "package.json"))("playwright-core");
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium", timeout: PATIENCE, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const tab = await browser.newPage();
tab.setDefaultTimeout(PATIENCE);
await tab.goto(`http://127.0.0.1:${server.address().port}/`);
await tab.waitForFunction(() => window.result);
const result = await tab.evaluate(() => window.result);
await browser.close();
server.close();
console.log(JSON.stringify(result));
let failed = Boolean(result.error);
function check(condition, message) {
  if (condition) return;
  console.error("FAILED: " + message);
  failed = true;
}
if (!result.error) {
  check(["bow", "nod", "breath", "bow+breath", "nod+breath"].every((n) => result.clips.includes(n)), "animations");
  check(result.targets.join() === "smile,breath_chest,breath_belly", "targets");
  check(result.textured, "texture");
  check(result.triangles > 1000, "nothing was drawn");
  check(Math.abs(result.breath - facts.largest_mm) < 0.05, `breath moves ${result.breath} mm, not ${facts.largest_mm}`);
  check(result.seam < 0.1 && result.mergedSeam < 0.1, "a seam is open");
  check(result.nod > 20 && result.both > 1 && result.both < 30, "action and breath together");
  check(result.merged < 0.05, `the merged clip is ${result.merged} mm from both played together`);
  check(Math.abs(result.mergedSeconds / facts.period - 1) < 0.21, "length of the merged clip");
}
process.exit(failed ? 1 : 0);
