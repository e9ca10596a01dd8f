// A film of the canvas by the browser's own encoder: WebM, or MP4 where that is all there is.
const TYPES = ['video/webm;codecs=vp9', 'video/webm', 'video/mp4'];

export class Film {
  /** `done(name, blob)` gets the film when it is stopped; `grown(bytes)` hears on the way how large it is. */
  constructor(canvas, done, grown = () => {}) {
    Object.assign(this, { canvas, done, grown });
    this.type = globalThis.MediaRecorder && canvas.captureStream && TYPES.find((t) => MediaRecorder.isTypeSupported(t));
  }

  get possible() {
    return !!this.type;
  }
  get on() {
    return !!this.recorder;
  }

  start() {
    const parts = [], recorder = new MediaRecorder(this.canvas.captureStream(30), { mimeType: this.type, videoBitsPerSecond: 12e6 });
    recorder.ondataavailable = ({ data }) => {
      if (data.size > 0) parts.push(data);
      this.grown(parts.reduce((sum, part) => sum + part.size, 0));
    };
    recorder.onstop = () => {
      const [type] = this.type.split(';');
      recorder.stream.getTracks().forEach((track) => track.stop());
      this.done(`pneuma.${type.split('/')[1]}`, new Blob(parts, { type }));
    };
    recorder.start(1000); // pieces of a second
    this.recorder = recorder;
  }

  stop() {
    this.recorder?.stop();
    this.recorder = null;
  }
}
