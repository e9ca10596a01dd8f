// What only the program that serves the page can do: bodies of anybody as they are, films with flesh, and a look at its runs.
import { attempt, busy, chips, find, slider, tell } from './dom.js';

const POLL = 700; // between two looks at a film that is made [ms]
const FLESH = [{ name: 'none', label: 'no flesh' }, { name: 'preview', label: 'flesh, coarse' }, { name: 'default', label: 'flesh' }];

const token = new URLSearchParams(location.search).get('token');
export const served = !!token && location.protocol.startsWith('http');

const query = (more = {}) => new URLSearchParams({ token, ...more });
/** What the program answers; what it refuses is an Error with its words. */
async function ask(path, more = {}, options = {}) {
  const answer = await fetch(`${path}?${query(more)}`, options);
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer;
}

/** The program makes the skin of anybody as it is, not between others. `open(bytes)` takes the packed body. */
export function buildExact(personOf, open) {
  find('exact').hidden = !served;
  busy('exact', async () => {
    find('status').textContent = 'The program makes this body';
    const { sex, height, mass, age } = personOf();
    await open(await (await ask('body', { sex, height, mass, age })).arrayBuffer());
  });
}

/** Reports of runs and films, where the program was given a folder for them. `orderOf()` says what is on stage. */
export async function buildRuns(orderOf) {
  if (!served) return;
  const answer = await fetch(`runs?${query()}`);
  if (!answer.ok) return; // it was given none
  showRuns(await answer.json());
  new Films(orderOf).build();
}
function showRuns(runs) {
  find('runs').hidden = runs.length === 0;
  find('run-list').replaceChildren(...runs.map(({ id, name, when }) => {
    const item = document.createElement('li'), link = document.createElement('a'), time = document.createElement('small');
    Object.assign(link, { href: `run?${query({ id })}`, target: '_blank', rel: 'noopener', textContent: name });
    time.textContent = when;
    item.append(link, time);
    return item;
  }));
  document.body.dataset.runs = runs.length;
}

class Films {
  flesh = 'none';
  seconds = 6;

  constructor(orderOf) {
    this.orderOf = orderOf;
  }

  build() {
    find('films').hidden = false;
    chips(find('film-flesh'), FLESH, { chosen: (name) => this.flesh === name, choose: (name) => (this.flesh = name) });
    find('film-knobs').replaceChildren(slider({ id: 'film-seconds', label: 'Length', min: 1, max: 60, step: 1 }, {
      value: () => this.seconds,
      text: (value) => `${value} s`,
      moved: (value) => (this.seconds = value),
    }));
    find('film-start').addEventListener('click', attempt(async () => {
      find('film-start').disabled = true;
      try {
        this.watching = true;
        const order = { ...this.orderOf(), seconds: this.seconds, flesh: this.flesh };
        await ask('start', {}, { method: 'POST', body: JSON.stringify(order) });
      } finally {
        await this.look();
      }
    }));
    find('film-cancel').addEventListener('click', attempt(async () => {
      find('film-cancel').disabled = true;
      await ask('cancel', {}, { method: 'POST' });
    }));
    this.look(); // one may be under way that another page asked for
  }

  /** How far it is, again and again while it is made. */
  look = attempt(async () => {
    const job = await (await ask('job')).json(), running = job.state === 'running', share = job.total > 0 ? job.done / job.total : 0;
    find('film-start').disabled = running;
    find('film-cancel').disabled = !running;
    find('film-progress').hidden = !running;
    find('film-progress').value = share;
    find('film-state').textContent = {
      none: '',
      running: `${job.run}: ${job.title || 'beginning'}${job.total > 0 ? `, ${(100 * share).toFixed(0)} %` : ''}`,
      done: `${job.run} is made.`,
      cancelled: `${job.run} was cancelled.`,
      failed: `${job.run} failed: ${job.message}`,
    }[job.state];
    document.body.dataset.film = job.state;
    if (running) this.watching = setTimeout(this.look, POLL);
    else if (this.watching) {
      this.watching = null;
      if (job.state === 'failed') tell(job.message);
      showRuns(await (await ask('runs')).json());
    }
  });
}
