// newest_mujoco.mjs <folder with node_modules> <seconds> <articulation>...: exported bodies, <folder>/<articulation>.xml, in
// the newest MuJoCo. Their torques at full activation are compared with ours where <articulation>.torques.json has them; then
// they are simulated under random activations. Fails when torques differ, a number is not finite or a muscle pushes.
// Prints a line of JSON for each.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import fs from 'node:fs';

const [folder, seconds, ...articulations] = process.argv.slice(2);
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

// Off their optimal length MuJoCo's curves and ours part by 0.13 of the peak force at worst.
const kCurves = 0.15;

/// Largest difference of the active torques over the sum of peak force times arm of each joint; null: nothing to compare.
function compareTorques(file, model) {
  const expected = file.replace(/\.xml$/, '.torques.json');
  if (!fs.existsSync(expected)) return null;
  const data = new mujoco.MjData(model);
  const torques = (activation) => {
    for (let k = 0; k < model.na; k++) data.act[k] = activation;
    mujoco.mj_forward(model, data);
    return Float64Array.from(data.qfrc_actuator);
  };
  const passive = torques(0), active = torques(1);
  const id = mujoco.mjtObj.mjOBJ_JOINT.value ?? mujoco.mjtObj.mjOBJ_JOINT;
  let apart = 0;
  for (const { joint, ours, scale } of JSON.parse(fs.readFileSync(expected, 'utf8'))) {
    const at = model.jnt_dofadr[mujoco.mj_name2id(model, id, joint)];
    if (at === undefined) fail(`${file}: no joint ${joint}`);
    ours.forEach((torque, d) => {
      const difference = Math.abs(active[at + d] - passive[at + d] - torque);
      if (difference > kCurves * scale[d] + 1e-6) fail(`${file}: torque of ${joint} differs by ${difference} N m`);
      if (scale[d] > 1e-9) apart = Math.max(apart, difference / scale[d]);
    });
  }
  data.delete();
  return apart;
}

for (const articulation of articulations) {
  const file = `${folder}/${articulation}.xml`;
  const model = mujoco.MjModel.from_xml_string(fs.readFileSync(file, 'utf8'));
  const data = new mujoco.MjData(model);
  if (model.nu < 40) fail(`${file}: only ${model.nu} muscles`);
  const apart = compareTorques(file, model);
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
  console.log(JSON.stringify({ articulation, mujoco: mujoco.mj_versionString(), muscles: model.nu, seconds: Number(data.time.toFixed(2)),
    fastest_rad_s: Number(fastest.toFixed(1)), torques_apart_of_scale: apart === null ? null : Number(apart.toFixed(4)) }));
}
