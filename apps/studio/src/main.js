// The page: settings in, frames out. All that it shows can be shared as a link.
import { BodyScene, LAYERS, VIEWS } from './scene.js';
import { Plots } from './plots.js';
import { decodeFrame, mix, readLayout } from './frame.js';
import { Session } from './session.js';
import { LearnedSkin } from './learned.js';
import { Microphone } from './microphone.js';
import { Film } from './film.js';
import { activationGradient, travelGradient } from './colors.js';

const find = (id) => document.getElementById(id);
const FIRST_STYLES = ['casual', 'deep', 'panting', 'sigh', 'yawn', 'laugh', 'cough', 'speech'];
const KNOBS = [
  { name: 'rate', label: 'Rate', unit: '/min', min: 4, max: 60, step: 0.5, rest: 12 },
  { name: 'effort', label: 'Effort', unit: '×', min: 0, max: 3, step: 0.05, rest: 1 },
  { name: 'chest_share', label: 'Belly to chest', unit: '', min: 0, max: 1, step: 0.01, rest: 0.5 },
  { name: 'variability', label: 'Variability', unit: '', min: 0, max: 1, step: 0.01, rest: 0 },
];
const PERSON = [
  { name: 'height', label: 'Height', unit: 'cm', factor: 100, min: 1.4, max: 2.05, step: 0.01, digits: 0 },
  { name: 'mass', label: 'Mass', unit: 'kg', factor: 1, min: 38, max: 150, step: 1, digits: 0 },
  { name: 'age', label: 'Age', unit: 'years', factor: 1, min: 18, max: 80, step: 1, digits: 0 },
];
const RECORD_SECONDS = 12;
const DEFAULTS = { style: 'casual', posture: 'standing', layers: 'skin', opacity: 1, cut: 'off', place: 0.5, travel: 0, activation: 0, view: 'three-quarter', speed: 1, theme: 'dark', playing: 1 };

// ---- settings, as a link has them -----------------------------------------------------------

function readLink() {
  const settings = { ...DEFAULTS };
  if (matchMedia('(prefers-color-scheme: light)').matches) settings.theme = 'light';
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) settings[key] = value !== '' && !Number.isNaN(+value) ? +value : value;
  return settings;
}
const settings = readLink();

function linkText() {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(settings))
    if (value !== undefined && value !== DEFAULTS[key]) query.set(key, value);
  return `${location.href.split('#')[0]}#${query}`;
}
function change(key, value) {
  settings[key] = value;
  history.replaceState(null, '', linkText());
}
function personOf() {
  return Object.fromEntries(['sex', 'height', 'mass', 'age'].filter((n) => settings[n] !== undefined).map((n) => [n, settings[n]]));
}
function breathOf() {
  const breath = { style: settings.style };
  for (const knob of KNOBS) if (settings[knob.name] !== undefined) breath[knob.name] = settings[knob.name];
  return breath;
}

// ---- parts ----------------------------------------------------------------------------------

let scene, plots, session, layout, person;
let frames = []; // shown from the first to the second
let loopFrames = null, loopAt = 0;
const recent = []; // frames of the last breaths, for the loop

function tell(message, good = false) {
  find('banner').hidden = false;
  find('banner').classList.toggle('good', good);
  find('banner-text').textContent = message;
  if (good) setTimeout(() => find('banner-text').textContent === message && (find('banner').hidden = true), 3500);
}
const attempt = (work) => async (...args) => {
  try {
    return await work(...args);
  } catch (error) {
    tell(error.message);
  }
};

function chips(element, names, { kind = 'radio', chosen, choose }) {
  element.replaceChildren(
    ...names.map((name) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = name;
      button.dataset.name = name;
      if (kind === 'radio') button.setAttribute('role', 'radio');
      button.setAttribute(kind === 'radio' ? 'aria-checked' : 'aria-pressed', chosen(name));
      button.addEventListener('click', () => {
        choose(name);
        refreshChips();
      });
      button.refresh = () => button.setAttribute(kind === 'radio' ? 'aria-checked' : 'aria-pressed', chosen(name));
      return button;
    }),
  );
}
const refreshChips = () => document.querySelectorAll('.chips button').forEach((b) => b.refresh?.());

// ---- body -----------------------------------------------------------------------------------

async function createBody() {
  find('status').textContent = 'Settling';
  loopFrames = null;
  recent.length = 0;
  frames = [];
  plots.clear();
  const made = await session.ask('create', {
    settings: { posture: settings.posture, fps: 15.625, record_seconds: RECORD_SECONDS, ...personOf(), ...breathOf() },
  });
  layout = readLayout(made.layout);
  learned = null; // the body before had another skin
  person = made.person;
  showPerson();
  scene.setBody(layout);
  surfaces = null;
  document.body.dataset.made = made.seconds.toFixed(2);
  find('status').textContent = 'Ready';
  if (pending) takeFrame(pending, 0);
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
const INNER = ['bones', 'muscles'];

let pending = null, learned = null;
function takeFrame(buffer, factor) {
  pending = buffer;
  if (!layout) return;
  const frame = decodeFrame(buffer);
  if (layout.links.length * 12 !== frame.poses.length) return; // of the body before
  learned?.into(frame, settings.chest_share ?? 0.5);
  frames.push(frame);
  if (frames.length > 3) frames.shift();
  if (frames.length === 1) {
    scene.show(frame);
    applyCut();
  }
  recent.push(frame);
  if (recent[0].time < frame.time - RECORD_SECONDS) recent.shift();
  plots.add(layout, frame);
  const volume = frame.scalars[layout.scalarIndex('breath/lung_volume')];
  find('volume').textContent = volume.toFixed(0);
  find('clock').textContent = `${frame.time.toFixed(1)} s`;
  Object.assign(document.body.dataset, { time: frame.time.toFixed(3), volume: volume.toFixed(2) });
  scene.setDrive('diaphragm', 2 * frame.scalars[layout.scalarIndex('drive/diaphragm')]);
  if (factor) find('status').textContent = `${factor.toFixed(factor < 10 ? 1 : 0)}× real time`;
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
  session.ask('play', { on: !breath && !!settings.playing });
}

function setPlaying(on) {
  change('playing', on ? 1 : 0);
  find('play').textContent = on ? '❚❚' : '▶';
  find('play').setAttribute('aria-label', on ? 'Pause' : 'Play');
  if (loopFrames) setLoop(false);
  else session.ask('play', { on });
}

// ---- controls -------------------------------------------------------------------------------

const setBreath = attempt(async () => {
  stopFollowing();
  await session.ask('set', { breath: breathOf() });
});

function buildKnobs() {
  find('knobs').replaceChildren(
    ...KNOBS.map((knob) => {
      const label = document.createElement('label');
      label.className = 'knob';
      const output = document.createElement('output'), input = document.createElement('input');
      Object.assign(input, { type: 'range', min: knob.min, max: knob.max, step: knob.step, id: `knob-${knob.name}` });
      const refresh = () => {
        const value = settings[knob.name];
        input.value = value ?? knob.rest;
        output.textContent = value === undefined ? "style's" : `${value} ${knob.unit}`;
      };
      input.addEventListener('input', () => {
        change(knob.name, +input.value);
        refresh();
      });
      input.addEventListener('change', setBreath);
      label.refresh = refresh;
      label.append(knob.label, output, input);
      refresh();
      return label;
    }),
  );
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
    KNOBS.forEach((k) => change(k.name, undefined));
    document.querySelectorAll('.knob').forEach((k) => k.refresh());
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
  find('person').replaceChildren(
    ...PERSON.map((p) => {
      const input = document.createElement('input');
      Object.assign(input, { type: 'range', min: p.min, max: p.max, step: p.step, id: `person-${p.name}`, value: settings[p.name] ?? own[p.name] });
      const output = document.createElement('output');
      const refresh = () => (output.textContent = `${(p.factor * input.value).toFixed(p.digits)} ${p.unit}`);
      input.addEventListener('input', refresh);
      input.addEventListener('change', () => {
        change(p.name, +input.value);
        make();
      });
      refresh();
      const label = document.createElement('label');
      label.className = 'knob';
      label.append(p.label, output, input);
      return label;
    }),
  );
}
/** Served by the program, which makes the skin of anybody as it is, not between others. */
function buildExact() {
  const token = new URLSearchParams(location.search).get('token');
  find('exact').hidden = !(token && location.protocol.startsWith('http'));
  busy('exact', async () => {
    find('status').textContent = 'The program makes this body';
    const query = new URLSearchParams({ token, sex: person.sex, height: person.height, mass: person.mass, age: person.age });
    const answer = await fetch(`body?${query}`);
    if (!answer.ok) throw new Error(await answer.text());
    await session.ask('open', { body: await answer.arrayBuffer() });
    await showBody();
    setPlaying(true);
  });
}
function showPerson() {
  const index = person.mass / person.height ** 2;
  find('lungs').textContent = `Body mass index ${index.toFixed(1)}. Lungs at rest hold ${(1000 * person.frc).toFixed(1)} L, one full breath ${(1000 * person.vital).toFixed(1)} L.`;
  Object.assign(document.body.dataset, { sex: person.sex, height: person.height, frc: (1e6 * person.frc).toFixed(1) });
}

function layerSet() {
  return new Set(String(settings.layers).split('.').filter(Boolean));
}
function applyLayers() {
  const on = layerSet();
  scene.setLayers(Object.fromEntries(LAYERS.map((l) => [l, on.has(l)])));
  if (scene.body && INNER.some((l) => on.has(l))) return attempt(wantSurfaces)();
}
/** A new body with all of it that is shown. */
async function showBody() {
  await createBody();
  await applyLayers();
  wantSurfaces().catch(() => {});
}
function applyCut() {
  if (!scene.shown) return;
  const { low, high } = scene.bounds();
  const axis = { side: 'x', front: 'z', top: 'y' }[settings.cut];
  scene.setCut(settings.cut, axis ? low[axis] + settings.place * (high[axis] - low[axis]) : 0);
  find('cut-place').disabled = !axis;
}

function buildLooks() {
  chips(find('layers'), LAYERS, {
    kind: 'toggle',
    chosen: (name) => layerSet().has(name),
    choose: (name) => {
      const on = layerSet();
      if (!on.delete(name)) on.add(name);
      // Whoever asks for the inside wants to see it.
      if (on.has('skin') && settings.cut === 'off') {
        if (on.size > 1 && settings.opacity > 0.5) setOpacity(0.3);
        if (on.size === 1 && settings.opacity === 0.3) setOpacity(1);
      }
      change('layers', [...on].join('.'));
      applyLayers();
    },
  });
  chips(find('views'), Object.keys(VIEWS), { chosen: (name) => settings.view === name, choose: (name) => setView(name) });
  const bind = (id, event, act) => find(id).addEventListener(event, act);
  find('opacity').value = settings.opacity;
  find('cut-axis').value = settings.cut;
  find('cut-place').value = settings.place;
  find('travel').checked = !!settings.travel;
  find('activation').checked = !!settings.activation;
  find('speed').value = settings.speed;
  document.querySelector('#legend .scale').style.background = travelGradient;
  document.querySelector('#activation-legend .scale').style.background = activationGradient;
  bind('opacity', 'input', () => setOpacity(+find('opacity').value));
  bind('cut-axis', 'change', () => (change('cut', find('cut-axis').value), applyCut()));
  bind('cut-place', 'input', () => (change('place', +find('cut-place').value), applyCut()));
  bind('travel', 'change', () => (change('travel', find('travel').checked ? 1 : 0), applyTravel()));
  bind('activation', 'change', () => {
    change('activation', find('activation').checked ? 1 : 0);
    // Whoever asks for it wants to see muscles.
    if (settings.activation && !layerSet().has('muscles')) document.querySelector('#layers [data-name="muscles"]').click();
    applyActivation();
  });
}
function applyActivation() {
  find('activation-legend').hidden = !settings.activation;
  scene.setActivation(!!settings.activation);
}
function setView(name) {
  change('view', name);
  scene.home(name);
  refreshChips();
}
function setOpacity(value) {
  change('opacity', value);
  find('opacity').value = value;
  scene.setOpacity(value);
}
function applyTravel() {
  find('legend').hidden = !settings.travel;
  scene.setTravel(!!settings.travel);
}
function setTheme(name) {
  change('theme', name);
  document.documentElement.dataset.theme = name;
  scene.setTheme(name);
  plots.restyle();
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

function save(name, data, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([data], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
const busy = (button, work) =>
  find(button).addEventListener('click', attempt(async () => {
    find(button).disabled = true;
    try {
      await work();
    } finally {
      find(button).disabled = false;
    }
  }));

function buildFooter() {
  find('play').addEventListener('click', () => setPlaying(!settings.playing));
  find('speed').addEventListener('change', () => {
    change('speed', +find('speed').value);
    session.ask('speed', { value: settings.speed });
  });
  find('loop').addEventListener('click', () => setLoop(!loopFrames));
  busy('save-glb', async () => save('pneuma-breath.glb', await session.ask('glb'), 'model/gltf-binary'));
  busy('save-csv', async () => save('pneuma-breath.csv', await session.ask('csv'), 'text/csv'));
  busy('save-png', async () => {
    scene.changed = true;
    scene.render();
    const blob = await new Promise((done) => find('view').toBlob(done, 'image/png'));
    save('pneuma.png', blob, 'image/png');
  });
  const film = new Film(find('view'), (name, blob) => save(name, blob, blob.type));
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
  find('theme').addEventListener('click', () => setTheme(settings.theme === 'dark' ? 'light' : 'dark'));
  find('banner-close').addEventListener('click', () => (find('banner').hidden = true));
}

function buildKeys() {
  const views = Object.keys(VIEWS);
  addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    const key = e.key.toLowerCase();
    if (key === ' ' && e.target.tagName !== 'BUTTON' && e.target.tagName !== 'SUMMARY') setPlaying(!settings.playing);
    else if (key === 'l') setLoop(!loopFrames);
    else if (key === 't') setTheme(settings.theme === 'dark' ? 'light' : 'dark');
    else if (key === 's') find('share').click();
    else if (key === 'r' && !find('film').hidden) find('film').click();
    else if (views[+key - 1]) setView(views[+key - 1]);
    else return;
    e.preventDefault();
  });
}

function watchSize() {
  const fit = () => {
    const { clientWidth, clientHeight } = find('stage');
    scene.resize(clientWidth, clientHeight, devicePixelRatio);
    plots.resize();
  };
  new ResizeObserver(fit).observe(find('stage'));
  new ResizeObserver(() => plots.resize()).observe(find('plots'));
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
  scene = new BodyScene(find('view'));
  plots = new Plots();
  setTheme(settings.theme);
  buildLooks();
  buildOwnBreath();
  buildFooter();
  buildKeys();
  watchSize();
  const offer = await opened;
  if (!offer.postures.includes(settings.posture)) change('posture', DEFAULTS.posture);
  if (!offer.styles.includes(settings.style)) change('style', DEFAULTS.style);
  buildPanel(offer);
  buildExact();
  scene.view = VIEWS[settings.view] ? settings.view : DEFAULTS.view;
  await createBody();
  await applyLayers();
  scene.setOpacity(settings.opacity);
  applyTravel();
  applyActivation();
  applyCut();
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
