// The living body in a thread of its own. It is told what to do by messages, and sends frames.
import createSession from 'pneuma-session';

const FRAME_SECONDS = 0.032; // eight steps of 4 ms; twice as many at twice the speed
const MOST_BEHIND = 0.25; // [s] that are caught up after a pause of the browser's; the rest is left out

let session = null; // the WebAssembly module
let playing = false;
let speed = 1;
let frame = FRAME_SECONDS; // between two frames [s]
let due = 0; // simulated time that is owed to the clock [s]
let clock = 0;
let busy = { simulated: 0, spent: 0 };

const unzipped = (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
const text = (pointer) => session.UTF8ToString(pointer);

/** Calls a function of session_api.cpp; a failure becomes an Error with its message. */
function call(name, ...args) {
  const owned = [];
  const values = args.map((a) => {
    if (typeof a === 'number') return a;
    const bytes = typeof a === 'string' ? new TextEncoder().encode(`${a}\0`) : a;
    const pointer = session._malloc(bytes.length);
    session.HEAPU8.set(bytes, pointer);
    owned.push(pointer);
    return pointer;
  });
  try {
    if (!session[`_studio_${name}`](...values)) throw new Error(text(session._studio_error()).replaceAll('/data/', ''));
  } finally {
    owned.forEach((p) => session._free(p));
  }
}
const answerText = () => text(session._studio_answer());
function answerBytes() {
  const begin = session._studio_data();
  return session.HEAPU8.slice(begin, begin + session._studio_size());
}

/** Surfaces of bones and muscles, told once per session. */
function surfaces() {
  call('parts');
  return JSON.parse(answerText()).map((part, i) => {
    call('mesh', i);
    const numbers = session._studio_numbers() >> 2, indices = session._studio_indices() >> 2;
    return {
      ...part,
      numbers: session.HEAPF32.slice(numbers, numbers + session._studio_number_count()),
      indices: session.HEAPU32.slice(indices, indices + session._studio_index_count()),
    };
  });
}

function sendFrame() {
  call('frame');
  const { buffer } = answerBytes();
  postMessage({ type: 'frame', buffer, factor: busy.spent > 0 ? busy.simulated / busy.spent : 0 }, [buffer]);
}

function advance() {
  const begin = performance.now();
  call('advance', frame);
  sendFrame();
  const spent = (performance.now() - begin) / 1000;
  // Over the last second or so.
  busy = { simulated: 0.97 * busy.simulated + frame, spent: 0.97 * busy.spent + spent };
}

function tick() {
  const now = performance.now() / 1000;
  if (playing) {
    due = Math.min(due + (now - clock) * speed, MOST_BEHIND * Math.max(1, speed));
    const until = now + 0.05;
    try {
      while (due >= frame && performance.now() / 1000 < until) {
        advance();
        due -= frame;
      }
    } catch (error) {
      playing = false;
      postMessage({ type: 'stopped', message: error.message });
    }
  }
  clock = now;
}

const actions = {
  /** Both as they lie in the page, compressed. */
  async start({ wasm, body }) {
    const [program, person] = await Promise.all([unzipped(wasm), unzipped(body)]);
    session = await createSession({ wasmBinary: program });
    setInterval(tick, 8);
    return actions.open({ body: person });
  },
  open({ body }) {
    call('open', new Uint8Array(body), body.byteLength);
    playing = false;
    return JSON.parse(answerText());
  },
  create({ settings, kind = 'create' }) {
    const before = performance.now();
    call(kind, JSON.stringify(settings));
    const made = JSON.parse(answerText());
    busy = { simulated: 0, spent: 0 };
    const result = { ...made, seconds: (performance.now() - before) / 1000 };
    sendFrame();
    return result;
  },
  act({ settings }) {
    return actions.create({ settings, kind: 'act_create' });
  },
  task({ task }) {
    call('act_set', JSON.stringify(task));
    return JSON.parse(answerText());
  },
  drag({ link, local, place }) {
    call('act_drag', link, ...local, ...place);
    return JSON.parse(answerText());
  },
  letGo() {
    call('act_release', '');
  },
  surfaces,
  play({ on }) {
    playing = on;
    due = 0;
  },
  speed({ value }) {
    speed = value;
    frame = FRAME_SECONDS * Math.max(1, Math.round(speed));
  },
  step() {
    advance();
  },
  set({ breath }) {
    call('set', JSON.stringify(breath));
  },
  target({ volume }) {
    call('target', volume);
  },
  release() {
    call('release');
  },
  follow({ name, bytes }) {
    call('follow', name, new Uint8Array(bytes), bytes.byteLength);
    return JSON.parse(answerText());
  },
  glb() {
    call('glb');
    return answerBytes().buffer;
  },
  csv() {
    call('csv');
    return answerText();
  },
};

/** Buffers of an answer, which are handed over and not copied. */
const buffersOf = (result) =>
  result instanceof ArrayBuffer ? [result] : Array.isArray(result) ? result.flatMap((part) => [part.numbers.buffer, part.indices.buffer]) : [];

async function answer(data) {
  try {
    const result = await actions[data.type](data);
    postMessage({ type: 'done', id: data.id, result }, buffersOf(result));
  } catch (error) {
    postMessage({ type: 'done', id: data.id, error: error.message || String(error) });
  }
}

/** One after the other: what is asked while the session starts waits for it. */
let answered = Promise.resolve();
onmessage = ({ data }) => (answered = answered.then(() => answer(data)));
