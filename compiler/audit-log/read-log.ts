/** Reads audit logs line by line, however long they are. */

import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { parseChainPosition } from '#shared/plan';
import { describeFileError } from '#shared/util';
import { UsageError } from '../usage-error.ts';
import type { LogLine } from './verify-chain.ts';

/** Limit on one line, in bytes: records are far shorter, but a file of another format may be a single line. */
const MAX_LINE = 64 * 1024 * 1024;

const LINE_BREAK = 0x0a;

/**
 * The lines of several files of one log, from its oldest record to its newest, independent of the order of the arguments. A file without a
 * chained record stays where it is in the list.
 *
 * @throws UsageError for a file that cannot be read
 */
export async function* readLogLines(files: readonly string[]): AsyncGenerator<LogLine, void> {
  for (const file of await sortFiles(files)) yield* readLines(file);
}

async function sortFiles(files: readonly string[]): Promise<readonly string[]> {
  const starts = new Map<string, number>();
  for (const file of files) starts.set(file, await readFirstSequence(file));
  return [...files].sort((a, b) => (starts.get(a) ?? 0) - (starts.get(b) ?? 0));
}

async function readFirstSequence(file: string): Promise<number> {
  for await (const { text } of readLines(file)) {
    const position = text === null ? undefined : parseChainPosition(text);
    if (position !== undefined) return position.sequence;
  }
  return 0;
}

async function* readLines(file: string): AsyncGenerator<LogLine, void> {
  let number = 0;
  let rest: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of readBytes(file)) {
      let from = 0;
      for (let end = chunk.indexOf(LINE_BREAK); end >= 0; end = chunk.indexOf(LINE_BREAK, from)) {
        const line = Buffer.concat([...rest, chunk.subarray(from, end)]);
        yield { file, number: ++number, text: decodeText(line), isComplete: true };
        rest = [];
        length = 0;
        from = end + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > MAX_LINE)
        throw new UsageError(`${file}:${number + 1}: the line is longer than 64 MiB: not an audit log`);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // An error without a system call comes from zlib, whose message says that the compressed data is corrupt.
    const isOfFile = (error as NodeJS.ErrnoException).syscall !== undefined;
    throw new UsageError(`${file} cannot be read: ${isOfFile ? describeFileError(error) : (error as Error).message}`);
  }
  if (rest.length > 0) yield { file, number: number + 1, text: decodeText(Buffer.concat(rest)), isComplete: false };
}

function readBytes(file: string): AsyncIterable<Buffer> {
  const bytes = createReadStream(file);
  if (!file.endsWith('.gz')) return bytes;
  const text = createGunzip();
  bytes.on('error', error => text.destroy(error));
  return bytes.pipe(text);
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeText(line: Buffer): string | null {
  try {
    return UTF_8.decode(line);
  } catch {
    return null;
  }
}
