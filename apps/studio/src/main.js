// The page: settings in, frames out. All that it shows can be shared as a link.
import { BodyScene, VIEWS } from './scene.js';
import { Looks } from './looks.js';
import { BreathPlots } from './breath_plots.js';
import { decodeFrame, mix, readLayout } from './frame.js';
import { Session } from './session.js';
import { LearnedSkin } from './learned.js';
import { Microphone } from './microphone.js';
import { Film } from './film.js';
import { buildExact, buildRuns } from './served.js';
import { Act, taskOf } from './act.js';
import { ActPlots } from './act_plots.js';
import { attempt, busy, chips, find, refreshChips, refreshSliders, save, slider, tell } from './dom.js';
import { acts, change, DEFAULTS, linkText, settings, stated } from './settings.js';

const FIRST_STYLES = ['casual', 'deep', 'panting', 'sigh', 'yawn', 'laugh', 'cough', 'speech'];
const KNOBS = [
  { name: 'rate', label: 'Rate', unit: '/min', min: 4, max: 60, step: 0.5, rest: 12 },
  { name: 'effort', label: 'Effort', unit: '×', min: 0, max: 3, step: 0.05, rest: 1 },
  { name: 'chest_share', label: 'Belly to chest', unit: '', min: 0, max: 1, step: 0.01, rest: 0.5 },
  { name: 'variability', label: 'Variability', unit: '', min: 0, max: 1, step: 0.01, rest: 0 },
];
const DRIVES = [
  { name: 'drive_diaphragm', label: 'Diaphragm' },
  { name: 'drive_intercostals', label: 'Intercostals' },
  { name: 'drive_scalenes', label: 'Scalenes' },
  { name: 'drive_belly', label: 'Belly' },
].map((d) => ({ ...d, unit: '×', min: 0, max: 2, step: 0.05, rest: 1 }));
const PERSON = [
  { name: 'height', label: 'Height', unit: 'cm', factor: 100, min: 1.4, max: 2.05, step: 0.01, digits: 0 },
  { name: 'mass', label: 'Mass', unit: 'kg', factor: 1, min: 38, max: 150, step: 1, digits: 0 },
  { name: 'age', label: 'Age', unit: 'years', factor: 1, min: 18, max: 80, step: 1, digits: 0 },
];
const PERSON_NAMES = ['sex', 'height', 'mass', 'age'];
const RECORD_SECONDS = 12;
const OF_TIME = Object.assign(document.createElement('span'), { textContent: ' real time' }); // a phone has no room for it

// ---- what the session is told ----------------------------------------------------------------

const personOf = () => stated(PERSON_NAMES);
const breathOf = () => ({ style: settings.style, ...stated([...KNOBS, ...DRIVES].map((k) => k.name)) });

// ---- parts ----------------------------------------------------------------------------------

let scene, looks, plots, breathPlots, actPlots, act, session, layout, person;
let frames = []; // shown from the first to the second
let loopFrames = null, loopAt = 0;
const recent = []; // frames of the last breaths, for the loop

// ---- body -----------------------------------------------------------------------------------

/** With what makeBody gave. */
async function createBody(asked = makeBody()) {
  find('status').textContent = 'Settling';
  loopFrames = null;
  recent.length = 0;
  frames = [];
  pending = null;
  showMode();
  plots.clear();
  const made = await asked;
  layout = readLayout(made.layout);
  learned = null; // the body before had another skin
  person = made.person;
  showPerson();
  scene.setBody(layout, looks.layers());
  act.begin(scene, layout, acts() ? made : null);
  surfaces = null;
  document.body.dataset.made = made.seconds.toFixed(2);
  document.body.dataset.mode = settings.mode;
  find('status').textContent = 'Ready';
  if (pending) takeFrame(pending, 0);
}

/** Frames of the body before, which may do something else, are not shown meanwhile. */
async function makeBody() {
  const common = { record_seconds: RECORD_SECONDS, ...personOf() };
  ++making;
  try {
    return acts()
      ? await session.ask('act', { settings: { ...common, fps: 20, ...taskOf() } })
      : await session.ask('create', { settings: { ...common, posture: settings.posture, fps: 15.625, ...breathOf() } });
  } finally {
    --making;
  }
}

/** Panel and plots of what the body does. */
function showMode() {
  for (const element of document.querySelectorAll('[data-for]')) element.hidden = element.dataset.for !== settings.mode;
  find('unit').textContent = acts() ? 'mrad' : 'mL';
  find('reading').textContent = acts() ? 'largest error of a joint' : 'air above rest';
  plots = acts() ? actPlots : breathPlots;
  plots.resize();
  looks.showMode();
}

/** Bones and muscles are fetched when somebody wants to see them, or when there is time. */
let surfaces = null;
function wantSurfaces() {
  const of = layout;
  surfaces ??= session.ask('surfaces').then(
    (parts) => {
      if (of !== layout) return; // of the body before
      scene.setSurfaces(parts);
      document.body.dataset.surfaces = parts.length;
    },
    (error) => {
      surfaces = null;
      throw error;
    },
  );
  return surfaces;
}

let pending = null, learned = null, making = 0;
function takeFrame(buffer, factor) {
  pending = buffer;
  if (!layout || making > 0) return;
  const frame = decodeFrame(buffer);
  if (frame.digest !== layout.digest) return; // of the body before
  learned?.into(frame, settings.chest_share ?? 0.5);
  frames.push(frame);
  if (frames.length > 3) frames.shift();
  if (frames.length === 1) {
    scene.show(frame);
    looks.applyCut();
    document.body.dataset.tall = scene.bounds().size.y.toFixed(3);
  }
  plots.add(layout, frame);
  find('clock').textContent = `${frame.time.toFixed(1)} s`;
  document.body.dataset.time = frame.time.toFixed(3);
  if (acts()) takeActFrame(frame);
  else takeBreathFrame(frame);
  if (factor) find('status').replaceChildren(`${factor.toFixed(factor < 10 ? 1 : 0)}×`, OF_TIME);
}
function takeBreathFrame(frame) {
  recent.push(frame);
  if (recent[0].time < frame.time - RECORD_SECONDS) recent.shift();
  const volume = frame.scalars[layout.scalarIndex('breath/lung_volume')];
  find('volume').textContent = volume.toFixed(0);
  document.body.dataset.volume = volume.toFixed(2);
  scene.setDrive('diaphragm', 2 * frame.scalars[layout.scalarIndex('drive/diaphragm')]);
}
function takeActFrame(frame) {
  const of = (name) => frame.scalars[layout.scalarIndex(name)];
  find('volume').textContent = of('act/error').toFixed(1);
  const first = layout.scalars.findIndex((s) => s.group === 'activations');
  let sum = 0;
  for (let i = first; i < frame.scalars.length; ++i) sum += frame.scalars[i];
  const hand = layout.links.findIndex((l) => l.name === 'hand_r');
  Object.assign(document.body.dataset, {
    error: of('act/error').toFixed(3), away: of('act/away').toFixed(2), given: of('act/given').toFixed(3), activations: sum.toFixed(4),
    hand: Array.from(frame.poses.subarray(12 * hand + 9, 12 * hand + 12), (x) => x.toFixed(4)).join(' '),
  });
}

/** Frames come every 32 ms; the screen is drawn as often as it likes, one frame behind. */
let shownAt = 0, between = null;
function drawBetween(now) {
  if (loopFrames) {
    loopAt = (loopAt + ((now - shownAt) / 1000) * settings.speed) % loopFrames.length_s;
    const place = Math.min(loopFrames.length - 1.001, loopAt / loopFrames.interval), k = Math.floor(place);
    scene.show(mix(loopFrames[k], loopFrames[k + 1], place - k, (between ??= clone(loopFrames[0]))));
  } else if (frames.length >= 2) {
    const [a, b] = frames.slice(-2);
    if (drawBetween.of !== b) (drawBetween.of = b), (drawBetween.since = now);
    const t = Math.min(1, ((now - drawBetween.since) / 1000 / (b.time - a.time)) * settings.speed);
    if (!between || between.points.length !== a.points.length) between = clone(a);
    if (drawBetween.done !== b || t < 1) scene.show(mix(a, b, t, between));
    if (t >= 1) drawBetween.done = b;
  }
  shownAt = now;
}
const clone = (f) => ({ time: f.time, scalars: f.scalars, poses: f.poses.slice(), points: f.points.slice() });

function animate(now) {
  requestAnimationFrame(animate);
  drawBetween(now);
  scene.render();
  document.body.dataset.drawn = scene.drawn;
  if (settings.travel) find('legend-most').textContent = `${scene.travelRange} mm`;
  plots.draw();
}

/** From one end of a breath out to the next, as far as it was recorded. */
function lastBreath() {
  const at = layout.scalarIndex('breath/lung_volume'), lows = [];
  const volume = (i) => recent[i].scalars[at];
  const half = 0.5 * (Math.min(...recent.map((f) => f.scalars[at])) + Math.max(...recent.map((f) => f.scalars[at])));
  let lowest = -1;
  for (let i = 1; i < recent.length; ++i) {
    if (volume(i) < half) lowest = lowest < 0 || volume(i) < volume(lowest) ? i : lowest;
    else if (lowest >= 0) lows.push(lowest), (lowest = -1);
  }
  if (lows.length < 2) return null;
  return recent.slice(lows.at(-2), lows.at(-1) + 1);
}

function setLoop(on) {
  const breath = on ? lastBreath() : null;
  if (on && !breath) tell('A whole breath must be seen first: let it breathe for some seconds.');
  loopFrames = breath;
  if (breath) {
    breath.length_s = breath.at(-1).time - breath[0].time;
    breath.interval = breath.length_s / (breath.length - 1);
    loopAt = 0;
  }
  find('loop').setAttribute('aria-pressed', !!breath);
  letRun(!breath && !!settings.playing);
}
/** When it is told, frames that were on their way have come. */
async function letRun(on) {
  await session.ask('play', { on });
  document.body.dataset.running = on ? 1 : 0;
}

function setPlaying(on) {
  change('playing', on ? 1 : 0);
  find('play').textContent = on ? '❚❚' : '▶';
  find('play').setAttribute('aria-label', on ? 'Pause' : 'Play');
  if (loopFrames) setLoop(false);
  else letRun(on);
}

// ---- controls -------------------------------------------------------------------------------

const setBreath = attempt(async () => {
  stopFollowing();
  await session.ask('set', { breath: breathOf() });
});

function buildKnobs() {
  const knob = (own) => (knob) => slider({ id: `knob-${knob.name}`, ...knob }, {
    value: () => settings[knob.name] ?? knob.rest,
    text: () => (settings[knob.name] === undefined ? own : `${settings[knob.name]} ${knob.unit}`),
    moved: (value) => change(knob.name, value),
    set: setBreath,
  });
  find('knobs').replaceChildren(...KNOBS.map(knob('as the style')));
  find('drives').replaceChildren(...DRIVES.map(knob('1 ×')));
}

function buildPanel(offer) {
  const chooseStyle = (name) => {
    change('style', name);
    setBreath();
  };
  const chosen = (name) => settings.style === name;
  chips(find('styles'), FIRST_STYLES.filter((s) => offer.styles.includes(s)), { chosen, choose: chooseStyle });
  chips(find('more-styles'), offer.styles.filter((s) => !FIRST_STYLES.includes(s)), { chosen, choose: chooseStyle });
  find('reset').addEventListener('click', () => {
    [...KNOBS, ...DRIVES].forEach((k) => change(k.name, undefined));
    refreshSliders();
    setBreath();
  });
  buildKnobs();
  chips(find('postures'), offer.postures, {
    chosen: (name) => settings.posture === name,
    choose: attempt(async (name) => {
      change('posture', name);
      await showBody();
      scene.home();
    }),
  });
  buildPerson(offer.person);
  chips(find('mode'), [{ name: 'breathe', label: 'Breathe' }, { name: 'act', label: 'Act' }], {
    chosen: (name) => settings.mode === name,
    choose: attempt(async (name) => {
      const before = settings.mode;
      if (name === before) return;
      change('mode', name);
      try {
        if (acts()) looks.showActing();
        stopFollowing();
        await showBody();
        scene.home();
      } catch (error) {
        change('mode', before);
        showMode();
        throw error;
      }
    }),
  });
}
/** Whoever is chosen is another body: skin, bones and mechanics alike. */
function buildPerson(own) {
  const make = attempt(async () => {
    await showBody();
    scene.home();
  });
  chips(find('sex'), ['male', 'female'], {
    chosen: (name) => (settings.sex ?? own.sex) === name,
    choose: (name) => {
      change('sex', name);
      make();
    },
  });
  find('person').replaceChildren(...PERSON.map((p) => slider({ id: `person-${p.name}`, ...p }, {
    value: () => settings[p.name] ?? own[p.name],
    text: (value) => `${(p.factor * value).toFixed(p.digits)} ${p.unit}`,
    set: (value) => {
      change(p.name, value);
      make();
    },
  })));
}
function showPerson() {
  const index = person.mass / person.height ** 2;
  find('lungs').textContent = `Body mass index ${index.toFixed(1)}. Lungs at rest hold ${(1000 * person.frc).toFixed(1)} L, one full breath ${(1000 * person.vital).toFixed(1)} L.`;
  Object.assign(document.body.dataset, { sex: person.sex, height: person.height, frc: (1e6 * person.frc).toFixed(1) });
}

/** A new body with all of it that is shown. */
async function showBody() {
  await createBody();
  await looks.applyLayers();
  wantSurfaces().catch(() => {});
}

// ---- the visitor's own breath ---------------------------------------------------------------

const microphone = new Microphone((volume) => session.ask('target', { volume }));

function stopFollowing() {
  find('following').hidden = true;
  if (microphone.on) {
    microphone.stop();
    find('microphone').setAttribute('aria-pressed', false);
  }
}
/** A learned person takes the place of the skin; the lungs stay the session's. */
async function perform(file) {
  try {
    learned = new LearnedSkin(await file.arrayBuffer(), layout);
  } catch (error) {
    throw new Error(`${file.name}: ${error.message}`);
  }
  frames = [];
  recent.length = 0;
  scene.rest = null;
  document.body.dataset.performing = file.name;
}
const follow = attempt(async (file) => {
  if (file.size > 32e6) throw new Error(`${file.name}: larger than 32 MB`);
  if (file.name.endsWith('.breathshape')) return perform(file);
  const found = await session.ask('follow', { name: file.name, bytes: await file.arrayBuffer() });
  stopFollowing();
  find('following').hidden = false;
  find('following').textContent = `Follows ${file.name}: ${found.seconds.toFixed(0)} s, over and over. Any style ends it.`;
  document.body.dataset.following = file.name;
});

function buildOwnBreath() {
  find('choose').addEventListener('click', () => find('file').click());
  find('file').addEventListener('change', () => find('file').files[0] && follow(find('file').files[0]));
  find('microphone').addEventListener('click', attempt(async () => {
    if (microphone.on) {
      stopFollowing();
      await session.ask('release');
      return;
    }
    await microphone.start();
    find('microphone').setAttribute('aria-pressed', true);
    find('following').hidden = false;
    find('following').textContent = 'Breathe or hum towards the microphone: louder is fuller.';
  }));
  let inside = 0;
  addEventListener('dragenter', () => (find('drop').hidden = ++inside < 1));
  addEventListener('dragleave', () => --inside < 1 && (find('drop').hidden = true));
  addEventListener('dragover', (e) => e.preventDefault());
  addEventListener('drop', (e) => {
    e.preventDefault();
    inside = 0;
    find('drop').hidden = true;
    if (e.dataTransfer.files[0]) follow(e.dataTransfer.files[0]);
  });
}

// ---- files and keys -------------------------------------------------------------------------

function buildFooter() {
  find('play').addEventListener('click', () => setPlaying(!settings.playing));
  find('speed').value = settings.speed;
  find('speed').addEventListener('change', () => {
    change('speed', +find('speed').value);
    session.ask('speed', { value: settings.speed });
  });
  find('loop').addEventListener('click', () => setLoop(!loopFrames));
  busy('save-glb', async () => save(`pneuma-${settings.mode}.glb`, await session.ask('glb'), 'model/gltf-binary'));
  busy('save-csv', async () => save(`pneuma-${settings.mode}.csv`, await session.ask('csv'), 'text/csv'));
  busy('save-png', async () => {
    scene.changed = true;
    scene.render();
    const blob = await new Promise((done) => find('view').toBlob(done, 'image/png'));
    save('pneuma.png', blob, 'image/png');
  });
  const film = new Film(find('view'), (name, blob) => save(name, blob, blob.type), (bytes) => (document.body.dataset.filmed = bytes));
  find('film').hidden = !film.possible;
  find('film').addEventListener('click', attempt(() => {
    if (film.on) film.stop();
    else film.start();
    find('film').setAttribute('aria-pressed', film.on);
    find('film').textContent = film.on ? 'Stop' : 'Film';
  }));
  busy('share', async () => {
    history.replaceState(null, '', linkText());
    try {
      await navigator.clipboard.writeText(linkText());
      tell('The link is copied. It holds every setting.', true);
    } catch {
      tell(`The address line holds every setting: ${linkText()}`, true);
    }
  });
  find('banner-close').addEventListener('click', () => (find('banner').hidden = true));
}

function buildKeys() {
  const views = Object.keys(VIEWS);
  addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    const key = e.key.toLowerCase();
    if (act.key(e)) e.preventDefault();
    else if (key === ' ' && e.target.tagName !== 'BUTTON' && e.target.tagName !== 'SUMMARY') setPlaying(!settings.playing);
    else if (key === 'l' && !acts()) setLoop(!loopFrames);
    else if (key === 't') looks.turnTheme();
    else if (key === 's') find('share').click();
    else if (key === 'r' && !find('film').hidden) find('film').click();
    else if (views[+key - 1]) looks.setView(views[+key - 1]);
    else return;
    e.preventDefault();
  });
}

function stageSize() {
  const { clientWidth, clientHeight } = find('stage');
  return [clientWidth, clientHeight, devicePixelRatio];
}

function watchSize() {
  const fit = () => {
    scene.resize(...stageSize());
    plots.resize();
  };
  new ResizeObserver(fit).observe(find('stage'));
  for (const id of ['plots', 'act-plots']) new ResizeObserver(() => plots.resize()).observe(find(id));
  fit();
}

async function start() {
  // The worker wakes while the stage is built.
  session = new Session((message) => {
    if (message.type === 'frame') takeFrame(message.buffer, message.factor);
    if (message.type === 'stopped') {
      tell(`The simulation stopped: ${message.message}`);
      setPlaying(false);
    }
  });
  const opened = session.open();
  const first = makeBody(), wanted = linkText();
  first.catch(() => {}); // who asked for what there is not is given something else
  scene = new BodyScene(find('view'), stageSize());
  breathPlots = plots = new BreathPlots();
  actPlots = new ActPlots();
  looks = new Looks(scene, wantSurfaces, () => [breathPlots, actPlots].forEach((p) => p.restyle()));
  act = new Act(session, find('view'), () => settings.playing || setPlaying(true));
  buildOwnBreath();
  buildFooter();
  buildKeys();
  watchSize();
  scene.warm();
  const offer = await opened;
  if (!offer.postures.includes(settings.posture)) change('posture', DEFAULTS.posture);
  if (!offer.styles.includes(settings.style)) change('style', DEFAULTS.style);
  if (!['breathe', 'act'].includes(settings.mode)) change('mode', DEFAULTS.mode);
  if (!offer.exercises.includes(settings.exercise)) change('exercise', DEFAULTS.exercise);
  buildPanel(offer);
  buildExact(() => person, async (body) => {
    await session.ask('open', { body });
    await showBody();
    setPlaying(true);
  });
  buildRuns(() => ({ ...personOf(), ...(acts() ? { verb: 'act', ...taskOf() } : { verb: 'live', posture: settings.posture, ...breathOf() }) }))
    .catch(() => {}); // a look at runs is extra
  scene.view = VIEWS[settings.view] ? settings.view : DEFAULTS.view;
  await createBody(linkText() === wanted ? first : makeBody());
  await looks.apply();
  await session.ask('speed', { value: settings.speed });
  setPlaying(!!settings.playing);
  requestAnimationFrame(animate);
  find('cover').classList.add('gone');
  document.body.dataset.state = 'ready';
  wantSurfaces().catch(() => {}); // asked for again when they are to be seen
}

start().catch((error) => {
  document.body.dataset.state = 'failed';
  find('cover').classList.add('gone');
  tell(`The studio could not start: ${error.message}`);
});
