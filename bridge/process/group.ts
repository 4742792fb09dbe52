/** Programs in process groups of their own, which end as a whole, whatever becomes of the bridge. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Duplex, Readable, Writable } from 'node:stream';

/** By which processes are found that left their group (Linux). */
const MARK_VARIABLE = 'LINTEL_BRIDGE_PROCESS';

/**
 * The shell becomes the program. Before, it leaves a watcher behind in the same group: it reads from a channel to the bridge that no
 * process else has, and so wakes when the bridge says so or dies, even by SIGKILL, and then ends the group. The program cannot run without
 * its watcher, so there is no moment in which it could be orphaned; and since the watcher is part of the group, the number of the group
 * cannot have become another's. The watcher is no child of the program, which need not know of it.
 *
 * A process that left the group is found by the mark in its environment, where there is `/proc`.
 */
const LAUNCH = `
(
  (
    trap '' HUP INT QUIT TERM
    PATH=/usr/bin:/bin
    read -r now <&3
    kill -TERM -- "-$$"
    [ "$now" ] || sleep 1
    kill -KILL $(grep -l -- "$0" /proc/[0-9]*/environ | sed 's|^/proc/||; s|/.*||')
    kill -KILL -- "-$$"
  ) < /dev/null > /dev/null 2>&1 &
)
export ${MARK_VARIABLE}="$0"
exec "$@" 3<&-
`;

export interface Launch {
  /** Command that starts a shell, in words. */
  readonly shell: readonly string[];
  /** Absolute. */
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
}

export interface GroupEnd {
  /** The exit code of the program itself. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class ProcessGroup {
  /** The id of its first process, which is that of the group, too. */
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When the program has ended and everything that it wrote was read. */
  readonly ended: Promise<GroupEnd>;
  /** When the program has ended, and every process of its group was killed. */
  readonly gone: Promise<void>;
  readonly #channel: Duplex;

  private constructor(child: ChildProcess, pid: number) {
    this.pid = pid;
    const [stdin, stdout, stderr, channel] = child.stdio as unknown as [Writable, Readable, Readable, Duplex];
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.#channel = channel;
    // A program that has ended reads nothing more; that it has ended is what counts.
    stdin.on('error', () => {});
    channel.on('error', () => {});
    channel.resume();
    const watcherGone = new Promise<void>(resolve => channel.once('close', resolve));
    const exited = new Promise<void>(resolve => child.once('exit', () => resolve()));
    this.gone = Promise.all([watcherGone, exited]).then(() => {});
    this.ended = new Promise(resolve => child.once('close', (code, signal) => resolve({ code, signal })));
    // What it started and left behind goes with it.
    child.once('exit', () => this.kill());
  }

  /** @throws Error where there is no shell, or no process can be started */
  static async start({
    shell: [shell = '/bin/sh', ...words],
    command,
    args,
    folder,
    variables,
  }: Launch): Promise<ProcessGroup> {
    const child = spawn(shell, [...words, '-c', LAUNCH, randomUUID(), command, ...args], {
      cwd: folder,
      env: variables,
      // Leader of a session and of a group: Ctrl-C in a terminal does not reach it.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    if (child.pid === undefined) throw new Error('no process was started');
    return new ProcessGroup(child, child.pid);
  }

  /** Asks all processes of the group to end. */
  terminate(): void {
    try {
      process.kill(-this.pid, 'SIGTERM');
    } catch {
      // It has none left.
    }
  }

  /** Ends all processes of the group at once. */
  kill(): void {
    if (!this.#channel.writableEnded) this.#channel.end('now\n');
  }
}
