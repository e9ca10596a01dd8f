// The page's side of the worker.

function bytesOf(id) {
  const binary = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export class Session {
  constructor(onMessage) {
    this.asked = new Map();
    this.next = 0;
    this.worker = new Worker(URL.createObjectURL(new Blob([bytesOf('part-worker')], { type: 'text/javascript' })));
    this.worker.onmessage = ({ data }) => {
      if (data.type !== 'done') return onMessage(data);
      const { resolve, reject } = this.asked.get(data.id);
      this.asked.delete(data.id);
      if (data.error) reject(new Error(data.error));
      else resolve(data.result);
    };
    this.worker.onerror = (e) => this.asked.forEach(({ reject }) => reject(new Error(e.message || 'the worker failed')));
  }

  /** A promise of what the worker answers (worker.js, actions). */
  ask(type, more = {}) {
    return new Promise((resolve, reject) => {
      const id = this.next++;
      this.asked.set(id, { resolve, reject });
      this.worker.postMessage({ type, id, ...more });
    });
  }

  /** What the worker needs to go on by itself while the page builds its stage. */
  open() {
    return this.ask('start', { wasm: bytesOf('part-wasm'), body: bytesOf('part-body') });
  }
}
