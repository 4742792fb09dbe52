/** Opens the file of the audit records for appending. */
import { constants, write } from 'node:fs';
import { open } from 'node:fs/promises';
import { type ChainHead, parseChainPosition } from '#shared/plan';

export interface OpenLog {
  readonly handle: {
    write(bytes: Uint8Array): Promise<{ readonly bytesWritten: number }>;
    datasync(): Promise<void>;
    close(): Promise<void>;
  };
  /** Whether the log is a regular file, whose writes can be forced to the disk. */
  readonly isFile: boolean;
  /** Whether the last line is incomplete, because the process that wrote it has died. */
  readonly isTorn: boolean;
  /** Number and hash of the last intact record; undefined for a log without a hash chain. */
  readonly head: ChainHead | undefined;
}

const STDOUT = '/dev/stdout';

/** With this flag, writing to a pipe without a reader fails, instead of blocking a thread of the process forever. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/** How many bytes are read at a time to find the last line. */
const TAIL_STEP = 64 * 1024;

/**
 * Opens a log. Only the owner can read a new file.
 * @param file null for standard output
 * @throws the errors of `open`: no such folder, no permission, or a pipe without a reader
 */
export async function openLog(file: string | null): Promise<OpenLog> {
  if (file === null) return openStdout();
  const handle = await open(file, FLAGS, 0o600);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size === 0) {
      return { handle, isFile: stats.isFile(), isTorn: false, head: undefined };
    }
    return { handle, isFile: true, ...(await readLastLine(file, stats.size)) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens the pipe or file behind standard output again, so that writes do not block a thread. Impossible for a socket, or another user's file. */
async function openStdout(): Promise<OpenLog> {
  const handle = await open(STDOUT, FLAGS).catch(() => SHARED_STDOUT);
  return { handle, isFile: false, isTorn: false, head: undefined };
}

/** Standard output itself; `close` leaves it open, because other code writes to it. */
const SHARED_STDOUT: OpenLog['handle'] = {
  write: bytes =>
    new Promise((resolve, reject) =>
      write(1, bytes, (error, bytesWritten) => (error === null ? resolve({ bytesWritten }) : reject(error))),
    ),
  datasync: async () => {},
  close: async () => {},
};

async function readLastLine(file: string, size: number): Promise<Pick<OpenLog, 'isTorn' | 'head'>> {
  const reader = await open(file, 'r');
  try {
    let tail = Buffer.alloc(0);
    let start = size;
    // Reads until the last two lines are whole, because the very last line may be incomplete.
    while (start > 0 && countNewlines(tail) < 3) {
      const from = Math.max(0, start - TAIL_STEP);
      const { buffer, bytesRead } = await reader.read(Buffer.alloc(start - from), 0, start - from, from);
      tail = Buffer.concat([buffer.subarray(0, bytesRead), tail]);
      start = from;
    }
    const lines = tail.toString('utf8').split('\n');
    const isTorn = lines.pop() !== '';
    const position = lines
      .reverse()
      .map(parseChainPosition)
      .find(found => found?.isIntact);
    return { isTorn, head: position && { sequence: position.sequence, hash: position.hash } };
  } finally {
    await reader.close();
  }
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}
