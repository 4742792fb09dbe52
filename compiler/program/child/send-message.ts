import { writeSync } from 'node:fs';
import type { Message } from './exchange.ts';

const RESULT_FD = 3;

// As Node has them: a program may replace what it finds.
const { stringify } = JSON;
const encode: (text: string) => Buffer = Buffer.from.bind(Buffer);
const write = writeSync;

/** Classes whose values are in messages; a `toJSON` of theirs is of the program's making. */
const PLAIN: readonly object[] = [Object, Array, String, Number, Boolean].map(({ prototype }) => prototype);

/**
 * Writes a message to the pipe to the parent process, since standard output is the program's.
 *
 * @param mark tells it from what a program writes there
 */
export function sendMessage(message: Message, mark: string): void {
  const bytes = encode(`${mark}${plainJson(message)}\n`);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += write(RESULT_FD, bytes, at);
    } catch (error) {
      // The pipe is full; the parent is reading it.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

function plainJson(message: Message): string {
  const added = PLAIN.map(prototype => Object.getOwnPropertyDescriptor(prototype, 'toJSON'));
  for (const prototype of PLAIN) Reflect.deleteProperty(prototype, 'toJSON');
  const text = stringify(message);
  for (const [index, prototype] of PLAIN.entries()) {
    const { [index]: descriptor } = added;
    if (descriptor !== undefined) Object.defineProperty(prototype, 'toJSON', descriptor);
  }
  return text;
}
