// newest_mujoco.mjs <folder with node_modules> <seconds> <file.xml>...: simulates exported bodies under random
// activations in the newest MuJoCo and fails when a number is not finite, a muscle is not as exported or pushes.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import fs from 'node:fs';

const [folder, seconds, ...files] = process.argv.slice(2);
const require = createRequire(pathToFileURL(folder + '/package.json'));
const load = (await import(pathToFileURL(require.resolve('@mujoco/mujoco')))).default;
const mujoco = await load();

function fail(text) {
  console.error(text);
  process.exit(1);
}

// The same numbers on every machine.
let seed = 1;
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;

for (const file of files) {
  const model = mujoco.MjModel.from_xml_string(fs.readFileSync(file, 'utf8'));
  const data = new mujoco.MjData(model);
  if (model.nu < 40) fail(`${file}: only ${model.nu} muscles`);
  let fastest = 0;
  const steps = Math.round(Number(seconds) / model.opt.timestep);
  for (let i = 0; i < steps; i++) {
    if (i % 200 === 0) for (let k = 0; k < model.nu; k++) data.ctrl[k] = random();
    mujoco.mj_step(model, data);
    if (i % 50) continue;
    for (let k = 0; k < model.nv; k++) {
      if (!Number.isFinite(data.qvel[k])) fail(`${file}: not finite at ${data.time} s`);
      fastest = Math.max(fastest, Math.abs(data.qvel[k]));
    }
    for (let k = 0; k < model.nu; k++)
      if (data.actuator_force[k] > 0) fail(`${file}: muscle ${k} pushes at ${data.time} s`);
  }
  // A diverged simulation is reset by MuJoCo and starts again at zero.
  if (Math.abs(data.time - Number(seconds)) > 0.01) fail(`${file}: reset, time is ${data.time} s`);
  console.log(`${file}: ${data.time.toFixed(1)} s, ${model.nu} muscles, at most ${fastest.toFixed(1)} rad/s`);
}
console.log(`MuJoCo ${mujoco.mj_versionString()}`);
