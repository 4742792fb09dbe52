import { writeSync } from 'node:fs';
import type { Message } from './exchange.ts';

const RESULT_FD = 3;

// Node's original functions, because a program may replace the globals.
const { stringify } = JSON;
const encode: (text: string) => Buffer = Buffer.from.bind(Buffer);
const write = writeSync;

/** Classes whose values occur in messages; a program may define `toJSON` on them. */
const PLAIN: readonly object[] = [Object, Array, String, Number, Boolean].map(({ prototype }) => prototype);

/**
 * Writes a message to the pipe to the parent process, because standard output belongs to the program.
 * @param mark distinguishes it from the program's own output
 */
export function sendMessage(message: Message, mark: string): void {
  const bytes = encode(`${mark}${formatPlainJson(message)}\n`);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += write(RESULT_FD, bytes, at);
    } catch (error) {
      // The pipe is full; the parent will read it.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

function formatPlainJson(message: Message): string {
  const added = PLAIN.map(prototype => Object.getOwnPropertyDescriptor(prototype, 'toJSON'));
  for (const prototype of PLAIN) Reflect.deleteProperty(prototype, 'toJSON');
  const text = stringify(message);
  for (const [index, prototype] of PLAIN.entries()) {
    const { [index]: descriptor } = added;
    if (descriptor !== undefined) Object.defineProperty(prototype, 'toJSON', descriptor);
  }
  return text;
}
