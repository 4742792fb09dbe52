/** Reads and writes the standard streams of commands that another program starts. */
import type { Readable, Writable } from 'node:stream';

/** Reads the input to its end. */
export async function readAll(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** @param text without line breaks. Resolves when it is written */
export function writeLine(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(`${text}\n`, error => (error ? reject(error) : resolve()));
  });
}
