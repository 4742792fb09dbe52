/** The file that records go to: opened for appending, opened again after it was moved away. */
import { constants, write } from 'node:fs';
import { open } from 'node:fs/promises';
import { type ChainHead, parseChainPosition } from '#schemas';

export interface OpenLog {
  readonly handle: {
    write(bytes: Uint8Array): Promise<{ readonly bytesWritten: number }>;
    datasync(): Promise<void>;
    close(): Promise<void>;
  };
  /** It has a disk behind it, which can be waited for. */
  readonly isFile: boolean;
  /** The last line has no end: its writer died. */
  readonly isTorn: boolean;
  /** Where the chain of its last line stands; undefined for a log without one. */
  readonly head: ChainHead | undefined;
}

const STDOUT = '/dev/stdout';

/** With it, a pipe without a reader fails a write, instead of holding a thread of the process for good. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/** How much is read at a time to find the last line. */
const TAIL_STEP = 64 * 1024;

/**
 * Opens a log. A file that is made can be read by its owner only.
 *
 * @param file null for standard output
 * @throws what `open` does: there is no such folder, no permission, or a pipe without a reader
 */
export async function openLog(file: string | null): Promise<OpenLog> {
  if (file === null) return openStdout();
  const handle = await open(file, FLAGS, 0o600);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size === 0) {
      return { handle, isFile: stats.isFile(), isTorn: false, head: undefined };
    }
    return { handle, isFile: true, ...(await lastLine(file, stats.size)) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A pipe or a file is opened once more, so that writes do not wait in a thread; a socket, or what another user owns, cannot be. */
async function openStdout(): Promise<OpenLog> {
  const handle = await open(STDOUT, FLAGS).catch(() => SHARED_STDOUT);
  return { handle, isFile: false, isTorn: false, head: undefined };
}

/** Written to as it is, and left open for others. */
const SHARED_STDOUT: OpenLog['handle'] = {
  write: bytes =>
    new Promise((resolve, reject) =>
      write(1, bytes, (error, bytesWritten) => (error === null ? resolve({ bytesWritten }) : reject(error))),
    ),
  datasync: async () => {},
  close: async () => {},
};

async function lastLine(file: string, size: number): Promise<Pick<OpenLog, 'isTorn' | 'head'>> {
  const reader = await open(file, 'r');
  try {
    let tail = Buffer.alloc(0);
    let start = size;
    // One line more than the last, which may be torn.
    while (start > 0 && newlines(tail) < 3) {
      const from = Math.max(0, start - TAIL_STEP);
      const { buffer, bytesRead } = await reader.read(Buffer.alloc(start - from), 0, start - from, from);
      tail = Buffer.concat([buffer.subarray(0, bytesRead), tail]);
      start = from;
    }
    const lines = tail.toString('utf8').split('\n');
    const isTorn = lines.pop() !== '';
    const place = lines
      .reverse()
      .map(parseChainPosition)
      .find(found => found?.isIntact);
    return { isTorn, head: place && { sequence: place.sequence, hash: place.hash } };
  } finally {
    await reader.close();
  }
}

function newlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}
