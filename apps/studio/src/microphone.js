// Loudness as breath: the louder, the fuller the lungs.

const FULL = 1.2e-3; // [m^3] above rest at full loudness
const RISE = 0.18, FALL = 0.7; // [s]

export class Microphone {
  constructor(onVolume) {
    this.onVolume = onVolume;
    this.on = false;
  }

  async start() {
    if (!navigator.mediaDevices?.getUserMedia) throw new Error('This browser gives no microphone to this page.');
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ audio: { noiseSuppression: false, autoGainControl: false, echoCancellation: false } });
    } catch (error) {
      throw new Error(`The microphone was not given: ${error.message}`);
    }
    this.context = new AudioContext();
    this.analyser = this.context.createAnalyser();
    this.analyser.fftSize = 1024;
    this.context.createMediaStreamSource(this.stream).connect(this.analyser);
    this.on = true;
    this.level = 0;
    this.loudest = 0.02;
    this.timer = setInterval(() => this.listen(), 32);
  }

  listen() {
    const samples = new Float32Array(this.analyser.fftSize);
    this.analyser.getFloatTimeDomainData(samples);
    const loud = Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);
    // The scale is the visitor's own: the loudest so far, slowly forgotten.
    this.loudest = Math.max(loud, 0.999 * this.loudest, 0.01);
    const goal = Math.max(0, loud / this.loudest - 0.08), time = goal > this.level ? RISE : FALL;
    this.level += (goal - this.level) * (1 - Math.exp(-0.032 / time));
    this.onVolume(FULL * this.level);
  }

  stop() {
    clearInterval(this.timer);
    this.stream?.getTracks().forEach((t) => t.stop());
    this.context?.close();
    this.on = false;
  }
}
