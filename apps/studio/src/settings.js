// All that the page shows, as a link has it.

export const DEFAULTS = {
  mode: 'breathe', style: 'casual', posture: 'standing', exercise: 'none', layers: 'skin', opacity: 1, cut: 'off', place: 0.5, travel: 0,
  activation: 0, xray: 0, view: 'three-quarter', speed: 1, theme: 'dark', playing: 1,
};

function readLink() {
  const settings = { ...DEFAULTS };
  if (matchMedia('(prefers-color-scheme: light)').matches) settings.theme = 'light';
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) settings[key] = value !== '' && !Number.isNaN(+value) ? +value : value;
  return settings;
}
export const settings = readLink();

export function linkText() {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(settings))
    if (value !== undefined && value !== DEFAULTS[key]) query.set(key, value);
  return `${location.href.split('#')[0]}#${query}`;
}
export function change(key, value) {
  settings[key] = value;
  history.replaceState(null, '', linkText());
}
export const acts = () => settings.mode === 'act';
/** Those of the names that are stated. */
export const stated = (names) => Object.fromEntries(names.filter((n) => settings[n] !== undefined).map((n) => [n, settings[n]]));
