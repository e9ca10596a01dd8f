// What only the program that serves the page can do: bodies of anybody as they are, and a look at its runs.
import { busy, find } from './dom.js';

const token = new URLSearchParams(location.search).get('token');
export const served = !!token && location.protocol.startsWith('http');

const query = (more = {}) => new URLSearchParams({ token, ...more });

/** The program makes the skin of anybody as it is, not between others. `open(bytes)` takes the packed body. */
export function buildExact(personOf, open) {
  find('exact').hidden = !served;
  busy('exact', async () => {
    find('status').textContent = 'The program makes this body';
    const { sex, height, mass, age } = personOf();
    const answer = await fetch(`body?${query({ sex, height, mass, age })}`);
    if (!answer.ok) throw new Error(await answer.text());
    await open(await answer.arrayBuffer());
  });
}

/** Reports of runs, where the program was given a folder. */
export async function buildRuns() {
  if (!served) return;
  const answer = await fetch(`runs?${query()}`);
  if (!answer.ok) return; // it was given none
  const runs = await answer.json();
  find('runs').hidden = runs.length === 0;
  find('run-list').replaceChildren(...runs.map(({ id, name, when }) => {
    const item = document.createElement('li'), link = document.createElement('a'), time = document.createElement('small');
    Object.assign(link, { href: `run?${query({ id })}`, target: '_blank', rel: 'noopener', textContent: name });
    time.textContent = when;
    item.append(link, time);
    return item;
  }));
}
