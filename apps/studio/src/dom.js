// Small things that every part of the page uses.

export const find = (id) => document.getElementById(id);

export function tell(message, good = false) {
  find('banner').hidden = false;
  find('banner').classList.toggle('good', good);
  find('banner-text').textContent = message;
  if (good) setTimeout(() => find('banner-text').textContent === message && (find('banner').hidden = true), 3500);
}

/** What fails is told. */
export const attempt = (work) => async (...args) => {
  try {
    return await work(...args);
  } catch (error) {
    tell(error.message);
  }
};

/** A button that rests while its work is done. */
export const busy = (button, work) =>
  find(button).addEventListener('click', attempt(async () => {
    find(button).disabled = true;
    try {
      await work();
    } finally {
      find(button).disabled = false;
    }
  }));

/** One button for each name, or {name, label, title}. */
export function chips(element, names, { kind = 'radio', chosen, choose }) {
  const state = kind === 'radio' ? 'aria-checked' : 'aria-pressed';
  element.replaceChildren(
    ...names.map((item) => {
      const { name, label = name, title = '' } = typeof item === 'string' ? { name: item } : item;
      const button = document.createElement('button');
      Object.assign(button, { type: 'button', textContent: label, title });
      button.dataset.name = name;
      if (kind === 'radio') button.setAttribute('role', 'radio');
      button.refresh = () => button.setAttribute(state, chosen(name));
      button.refresh();
      button.addEventListener('click', () => {
        choose(name);
        refreshChips();
      });
      return button;
    }),
  );
}
export const refreshChips = () => document.querySelectorAll('.chips button').forEach((b) => b.refresh?.());

/** A slider with its label. `text()` is what it shows, `moved(value)` and `set(value)` hear of it on the way and at its end. */
export function slider({ id, label, min, max, step }, { value, text, moved = () => {}, set = () => {} }) {
  const element = document.createElement('label');
  element.className = 'knob';
  const output = document.createElement('output'), input = document.createElement('input');
  Object.assign(input, { type: 'range', min, max, step, id });
  element.refresh = () => {
    input.value = value();
    output.textContent = text(+input.value);
  };
  input.addEventListener('input', () => {
    moved(+input.value);
    output.textContent = text(+input.value);
  });
  input.addEventListener('change', () => set(+input.value));
  element.append(label, output, input);
  element.refresh();
  return element;
}
export const refreshSliders = () => document.querySelectorAll('.knob').forEach((k) => k.refresh?.());

export function save(name, data, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([data], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
