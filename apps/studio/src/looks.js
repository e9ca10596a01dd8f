// How the body is shown: layers, opacity, cut, colours, views, theme.
import { activationGradient, MOST_ACTIVATION, MOST_SHORTENING, travelGradient } from './colors.js';
import { attempt, chips, find, refreshChips } from './dom.js';
import { ACT_LAYERS, BREATH_LAYERS, VIEWS } from './scene.js';
import { acts, change, settings } from './settings.js';

const INNER = ['muscles', 'bones', 'cartilages']; // surfaces that are fetched when somebody wants to see them

const layerSet = () => new Set(String(settings.layers).split('.').filter(Boolean));
const clickLayer = (name) => document.querySelector(`#layers [data-name="${name}"]`).click();

export class Looks {
  /** `wantSurfaces()` fetches what lies inside; `restyle()` is called when the theme changes. */
  constructor(scene, wantSurfaces, restyle) {
    Object.assign(this, { scene, wantSurfaces, restyle });
    this.build();
  }

  layers() {
    return acts() ? ACT_LAYERS : BREATH_LAYERS;
  }

  /** Another kind of body has other layers. */
  showMode() {
    find('activation-most').textContent = `${100 * (acts() ? MOST_ACTIVATION : MOST_SHORTENING)} % of strength`;
    chips(find('layers'), this.layers(), {
      kind: 'toggle',
      chosen: (name) => layerSet().has(name),
      choose: (name) => this.toggle(name),
    });
    this.applyTravel();
  }
  /** Whoever lets it act wants to see muscles at work. */
  showActing() {
    if (layerSet().size > 1) return;
    change('layers', 'skin.muscles.bones.cartilages');
    this.setOpacity(0.3);
    change('activation', 1);
    find('activation').checked = true;
    this.applyActivation();
  }

  toggle(name) {
    const on = layerSet(), shown = !on.delete(name);
    if (shown) on.add(name);
    // Cartilages come and go with the bones, unless they are asked for by themselves.
    if (name === 'bones') on[shown ? 'add' : 'delete']('cartilages');
    // Whoever asks for the inside wants to see it.
    if (on.has('skin') && settings.cut === 'off') {
      if (on.size > 1 && settings.opacity > 0.5) this.setOpacity(0.3);
      if (on.size === 1 && settings.opacity === 0.3) this.setOpacity(1);
    }
    change('layers', [...on].join('.'));
    this.applyLayers();
  }
  applyLayers() {
    const on = layerSet();
    this.scene.setLayers(Object.fromEntries(this.layers().map((l) => [l, on.has(l)])));
    if (this.scene.body && INNER.some((l) => on.has(l))) return attempt(this.wantSurfaces)();
  }

  build() {
    chips(find('views'), Object.keys(VIEWS), { chosen: (name) => settings.view === name, choose: (name) => this.setView(name) });
    const bind = (id, event, act) => find(id).addEventListener(event, act);
    find('opacity').value = settings.opacity;
    find('cut-axis').value = settings.cut;
    find('cut-place').value = settings.place;
    for (const id of ['travel', 'activation', 'xray']) find(id).checked = !!settings[id];
    document.querySelector('#legend .scale').style.background = travelGradient;
    document.querySelector('#activation-legend .scale').style.background = activationGradient;
    bind('opacity', 'input', () => this.setOpacity(+find('opacity').value));
    bind('cut-axis', 'change', () => (change('cut', find('cut-axis').value), this.applyCut()));
    bind('cut-place', 'input', () => (change('place', +find('cut-place').value), this.applyCut()));
    const check = (id, layer, apply) => bind(id, 'change', () => {
      change(id, find(id).checked ? 1 : 0);
      if (settings[id] && !layerSet().has(layer)) clickLayer(layer); // it is asked for to be seen
      apply.call(this);
    });
    check('travel', 'skin', this.applyTravel);
    check('activation', 'muscles', this.applyActivation);
    check('xray', 'bones', this.applyXray);
    bind('theme', 'click', () => this.turnTheme());
    this.setTheme(settings.theme);
  }

  /** All of it, on a body that is new. */
  async apply() {
    await this.applyLayers();
    this.scene.setOpacity(settings.opacity);
    this.applyTravel();
    this.applyActivation();
    this.applyXray();
    this.applyCut();
  }
  applyCut() {
    if (!this.scene.shown) return;
    const { low, high } = this.scene.bounds();
    const axis = { side: 'x', front: 'z', top: 'y' }[settings.cut];
    this.scene.setCut(settings.cut, axis ? low[axis] + settings.place * (high[axis] - low[axis]) : 0);
    find('cut-place').disabled = !axis;
  }
  applyActivation() {
    find('activation-legend').hidden = !settings.activation;
    this.scene.setActivation(!!settings.activation);
  }
  applyXray() {
    find('opacity').disabled = !!settings.xray;
    this.scene.setXray(!!settings.xray);
  }
  applyTravel() {
    const on = !!settings.travel && !acts();
    find('legend').hidden = !on;
    this.scene.setTravel(on);
  }

  setView(name) {
    change('view', name);
    this.scene.home(name);
    refreshChips();
  }
  setOpacity(value) {
    change('opacity', value);
    find('opacity').value = value;
    this.scene.setOpacity(value);
  }
  setTheme(name) {
    change('theme', name);
    document.documentElement.dataset.theme = name;
    this.scene.setTheme(name);
    this.restyle();
  }
  turnTheme() {
    this.setTheme(settings.theme === 'dark' ? 'light' : 'dark');
  }
}
