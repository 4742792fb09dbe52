/**
 * Makes programs deterministic: a frozen clock and seeded random numbers. Code that reads either is recorded, because it gets unexpected values.
 */
import buffer from 'node:buffer';
import crypto from 'node:crypto';
import { note } from './observations.ts';

/** @param now milliseconds since 1970 */
export function freezeGlobals(now: number): void {
  stopClock(now);
  const bytes = readSeededBytes();
  Math.random = () => {
    note('random', 'Math.random');
    return bytes(4).readUInt32LE() / 2 ** 32;
  };
  const fill = (target: NodeJS.ArrayBufferView): NodeJS.ArrayBufferView => {
    Buffer.from(target.buffer, target.byteOffset, target.byteLength).set(bytes(target.byteLength));
    return target;
  };
  /** Fills a part of a buffer. Offset and size count elements for typed arrays, and bytes for other views. */
  const fillPart = (target: NodeJS.ArrayBufferView, offset = 0, size?: number): NodeJS.ArrayBufferView => {
    const { BYTES_PER_ELEMENT: width = 1 } = target as { BYTES_PER_ELEMENT?: number };
    const length = size === undefined ? target.byteLength - offset * width : size * width;
    fill(new Uint8Array(target.buffer, target.byteOffset + offset * width, length));
    return target;
  };
  const uuid = () => {
    const random = bytes(16);
    // Marks the bytes as a UUID of version 4 (RFC 9562, section 5.4).
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
  const made = noted('crypto.randomBytes', (size: number, done?: (error: null, made: Buffer) => void) => {
    const filled = Buffer.from(bytes(size));
    if (done === undefined) return filled;
    queueMicrotask(() => done(null, filled));
    return undefined;
  });
  Object.defineProperties(crypto, {
    randomUUID: noted('crypto.randomUUID', uuid),
    randomBytes: made,
    // Node has this function under both names.
    pseudoRandomBytes: made,
    prng: made,
    rng: made,
    randomInt: noted('crypto.randomInt', (first: number, second?: unknown) => {
      const [least, beyond] = typeof second === 'number' ? [first, second] : [0, first];
      return least + Math.floor((bytes(4).readUInt32LE() / 2 ** 32) * (beyond - least));
    }),
    randomFillSync: noted('crypto.randomFillSync', fillPart),
    randomFill: noted('crypto.randomFill', (target: NodeJS.ArrayBufferView, ...parameters: unknown[]) => {
      const done = parameters.pop() as (error: null, filled: NodeJS.ArrayBufferView) => void;
      fillPart(target, ...(parameters as number[]));
      queueMicrotask(() => done(null, target));
    }),
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
  stopFormats(noted);
  stopStamps(noted);
  // Keeps `value.constructor === Date` true.
  Object.defineProperty(RealDate.prototype, 'constructor', { value: StoppedDate, writable: true, configurable: true });
}

/** Makes formatters without a date argument use the stopped time: they read the system clock, not `Date`. */
function stopFormats(noted: (what: string) => number): void {
  const { prototype } = Intl.DateTimeFormat;
  const { get: formatOf } = Object.getOwnPropertyDescriptor(prototype, 'format') ?? {};
  const { formatToParts } = prototype;
  Object.defineProperties(prototype, {
    format: {
      get(this: Intl.DateTimeFormat) {
        const format = formatOf?.call(this) as Intl.DateTimeFormat['format'];
        return (date?: Date | number) => format(date ?? noted('Intl.DateTimeFormat'));
      },
      configurable: true,
    },
    formatToParts: {
      value(this: Intl.DateTimeFormat, date?: Date | number) {
        return formatToParts.call(this, date ?? noted('Intl.DateTimeFormat'));
      },
      writable: true,
      configurable: true,
    },
  });
}

/** Web objects that contain their creation time. */
function stopStamps(noted: (what: string) => number): void {
  const StoppedFile = new Proxy(File, {
    construct: (target, [parts, name, options = {}], newTarget) => {
      const { lastModified = noted('new File()') } = options as { lastModified?: number };
      return Reflect.construct(target, [parts, name, { ...options, lastModified }], newTarget) as File;
    },
  });
  globalThis.File = StoppedFile;
  Object.defineProperty(buffer, 'File', { value: StoppedFile, writable: true, configurable: true });
  const get = () => {
    noted('event.timeStamp');
    return 0;
  };
  Object.defineProperty(Event.prototype, 'timeStamp', { get, configurable: true, enumerable: true });
}

/** Random bytes by SplitMix32, from a fixed seed. */
function readSeededBytes(): (size: number) => Buffer {
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
