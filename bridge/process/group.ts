/** Programs in process groups of their own. A whole group ends together, even when the bridge is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Duplex, Readable, Writable } from 'node:stream';

/** An environment variable that marks the processes of a group, so that processes that left the group can be found (on Linux). */
const MARK_VARIABLE = 'LINTEL_BRIDGE_PROCESS';

/**
 * A shell that replaces itself with the program (`exec`). Before that it forks a watcher in the same group. The watcher reads from a channel
 * that only the bridge holds open, so it wakes when the bridge writes to it or dies, even by SIGKILL, and then ends the group. The program
 * cannot run without its watcher, so it is never orphaned. As the watcher belongs to the group, the group's id cannot have been reused. The
 * watcher is not a child of the program, so the program never has to reap it. Where there is `/proc`, processes that left the group are found by
 * the mark in their environment.
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
  /** The command that starts a shell, split into words. */
  readonly shell: readonly string[];
  /** The absolute path of the command. */
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
  /** The id of the first process, which is also the id of the group. */
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program has ended and all of its output was read. */
  readonly ended: Promise<GroupEnd>;
  /** Resolves when the program has ended and every process of its group was killed. */
  readonly gone: Promise<void>;
  readonly #channel: Duplex;

  private constructor(child: ChildProcess, pid: number) {
    this.pid = pid;
    const [stdin, stdout, stderr, channel] = child.stdio as unknown as [Writable, Readable, Readable, Duplex];
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.#channel = channel;
    // Writing to a program that has ended fails. The end itself is reported elsewhere, so the error is ignored.
    stdin.on('error', () => {});
    channel.on('error', () => {});
    channel.resume();
    const watcherGone = new Promise<void>(resolve => channel.once('close', resolve));
    const exited = new Promise<void>(resolve => child.once('exit', () => resolve()));
    this.gone = Promise.all([watcherGone, exited]).then(() => {});
    this.ended = new Promise(resolve => child.once('close', (code, signal) => resolve({ code, signal })));
    // Processes that the program started and left behind are killed as well.
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
      // The program leads a session and a group of its own, so Ctrl-C in a terminal does not reach it.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    if (child.pid === undefined) throw new Error('no process was started');
    return new ProcessGroup(child, child.pid);
  }

  /** Sends SIGTERM to all processes of the group. */
  terminate(): void {
    try {
      process.kill(-this.pid, 'SIGTERM');
    } catch {
      // The group has no process left.
    }
  }

  /** Sends SIGKILL to all processes of the group. */
  kill(): void {
    if (!this.#channel.writableEnded) this.#channel.end('now\n');
  }
}
