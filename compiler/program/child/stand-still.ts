/**
 * Same program, same bytes: the clock stands still and random numbers come in the same order each time. Whoever asks for either is
 * noted, since what they get is not what they meant.
 */
import crypto from 'node:crypto';
import { note } from './notes.ts';

/** @param now milliseconds since 1970 */
export function standStill(now: number): void {
  stopClock(now);
  const bytes = seededBytes();
  Math.random = () => {
    note('random', 'Math.random');
    return bytes(4).readUInt32LE() / 2 ** 32;
  };
  const fill = (target: NodeJS.ArrayBufferView): NodeJS.ArrayBufferView => {
    Buffer.from(target.buffer, target.byteOffset, target.byteLength).set(bytes(target.byteLength));
    return target;
  };
  const uuid = () => {
    const random = bytes(16);
    // RFC 9562, section 5.4
    random[6] = ((random[6] ?? 0) & 0x0f) | 0x40;
    random[8] = ((random[8] ?? 0) & 0x3f) | 0x80;
    const hex = random.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  };
  const noted = <P extends readonly unknown[], R>(name: string, answer: (...parameters: P) => R) => ({
    value: (...parameters: P) => {
      note('random', name);
      return answer(...parameters);
    },
    writable: true,
    configurable: true,
  });
  Object.defineProperties(crypto, {
    randomUUID: noted('crypto.randomUUID', uuid),
    randomBytes: noted('crypto.randomBytes', (size: number, done?: (error: null, made: Buffer) => void) => {
      const made = Buffer.from(bytes(size));
      if (done === undefined) return made;
      queueMicrotask(() => done(null, made));
      return undefined;
    }),
    randomInt: noted('crypto.randomInt', (first: number, second?: unknown) => {
      const [least, beyond] = typeof second === 'number' ? [first, second] : [0, first];
      return least + Math.floor((bytes(4).readUInt32LE() / 2 ** 32) * (beyond - least));
    }),
    randomFillSync: noted('crypto.randomFillSync', fill),
  });
  const web = Object.getPrototypeOf(globalThis.crypto) as object;
  Object.defineProperties(web, {
    randomUUID: noted('crypto.randomUUID', uuid),
    getRandomValues: noted('crypto.getRandomValues', fill),
  });
}

function stopClock(now: number): void {
  const RealDate = Date;
  const noted = (what: string) => {
    note('clock', what);
    return now;
  };
  const StoppedDate = new Proxy(RealDate, {
    construct: (target, parameters, newTarget) =>
      Reflect.construct(target, parameters.length === 0 ? [noted('new Date()')] : parameters, newTarget),
    apply: () => new RealDate(noted('Date()')).toString(),
    get: (target, key) => (key === 'now' ? () => noted('Date.now') : Reflect.get(target, key)),
  });
  globalThis.Date = StoppedDate;
  // `value.constructor === Date` holds as ever.
  Object.defineProperty(RealDate.prototype, 'constructor', { value: StoppedDate, writable: true, configurable: true });
}

/** SplitMix32, from a fixed seed. */
function seededBytes(): (size: number) => Buffer {
  let state = 0x11_47_e1;
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
  return size => {
    const made = Buffer.alloc(size);
    for (let at = 0; at < size; at += 1) made[at] = next() & 0xff;
    return made;
  };
}
