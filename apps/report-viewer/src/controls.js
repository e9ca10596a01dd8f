// Buttons, the list of parts and the time line of a view.

function button(text, onClick) {
  const b = document.createElement('button');
  b.type = 'button';
  b.textContent = text;
  b.addEventListener('click', onClick);
  return b;
}

function checkbox(text, checked, onChange) {
  const label = document.createElement('label');
  const input = document.createElement('input');
  input.type = 'checkbox';
  input.checked = checked;
  input.addEventListener('change', () => onChange(input.checked));
  label.append(input, ` ${text}`);
  return label;
}

/** Named nodes that show something. */
function visibleParts(model) {
  const parts = [];
  model.traverse((node) => {
    if (node.name && (node.isMesh || node.isLine || node.children.some((c) => c.isMesh && !c.name)))
      parts.push(node);
  });
  return parts;
}

function buildPartList(view) {
  const parts = visibleParts(view.model);
  const details = document.createElement('details');
  details.className = 'view-parts';
  const summary = document.createElement('summary');
  summary.textContent = `Parts (${parts.length})`;
  const filter = document.createElement('input');
  filter.type = 'search';
  filter.placeholder = 'filter by name';
  const list = document.createElement('div');
  const rows = parts.map((part) => {
    const row = checkbox(part.name, true, (on) => (part.visible = on));
    list.append(row);
    return { row, part };
  });
  const shown = () => rows.filter(({ row }) => !row.hidden);
  filter.addEventListener('input', () => {
    const wanted = filter.value.toLowerCase();
    rows.forEach(({ row, part }) => (row.hidden = !part.name.toLowerCase().includes(wanted)));
  });
  const setAll = (on) =>
    shown().forEach(({ row, part }) => {
      row.querySelector('input').checked = on;
      part.visible = on;
    });
  const buttons = document.createElement('div');
  buttons.append(button('Show', () => setAll(true)), button('Hide', () => setAll(false)));
  details.append(summary, filter, buttons, list);
  return details;
}

/** The row above the picture: directions, wireframe, parts. */
export function buildPanel(view, directions) {
  const bar = view.element.querySelector('.view-bar');
  bar.append(...directions.map((name) => button(name, () => view.look(name))));
  bar.append(checkbox('Wireframe', false, (on) => view.setWireframe(on)));
  bar.append(buildPartList(view));
}

/** The row below it: play, scrub, time. Hidden for a model that does not move. */
export function buildTransport(view) {
  const bar = view.element.querySelector('.view-transport');
  const play = button('Play', () => view.setPlaying(!view.playing));
  const slider = document.createElement('input');
  slider.type = 'range';
  Object.assign(slider, { min: 0, max: view.duration || 1, step: 'any', value: 0 });
  slider.setAttribute('aria-label', 'time');
  slider.addEventListener('input', () => {
    view.setPlaying(false);
    view.seek(Number(slider.value));
  });
  const clock = document.createElement('output');
  view.setPlaying = (on) => {
    view.playing = on;
    play.textContent = on ? 'Pause' : 'Play';
  };
  view.onTime = (time) => {
    slider.value = time;
    clock.textContent = `${time.toFixed(2)} / ${view.duration.toFixed(2)} s`;
  };
  bar.append(play, slider, clock);
  bar.hidden = !(view.duration > 0);
}
