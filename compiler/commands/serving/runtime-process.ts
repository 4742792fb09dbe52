import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { BRIDGE_TOKEN_VARIABLE, denialArguments, type PrivateDenial, tlsProblem } from '#schemas';
import { programBeside } from '../../package-files.ts';
import { UsageError } from '../../usage-error.ts';
import type { ChosenBundle } from '../choose-bundle.ts';
import { useColor } from '../use-color.ts';
import { type AbsentServers, NONE_ABSENT } from './absent-servers.ts';
import type { BridgeAddress, BridgeProcess } from './bridge-process.ts';
import { type Listening, listeningText } from './client-snippet.ts';
import { logText } from './log-text.ts';

/** How the runtime is to listen; undefined leaves its own default. */
export interface ListenOptions {
  readonly host?: string;
  readonly port?: string;
  readonly internalAddress?: string;
  readonly allowedOrigin?: readonly string[];
  readonly stateDir?: string;
  /** How the log is written; undefined is `text` on a terminal, else `json`. */
  readonly logFormat?: LogFormat;
}

export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface RunOptions {
  readonly watch: boolean;
  readonly denial: PrivateDenial | undefined;
  readonly bridge: BridgeAddress;
  /** What a person is to know of where it listens; see `listensForPerson`. */
  readonly absent?: AbsentServers;
  /** Called once, after what it says of that was printed. */
  readonly onListening?: (listening: Listening) => void;
}

/** Whether the text that says where it listens is printed, in place of the line of JSON. */
export function listensForPerson(): boolean {
  return process.stdout.isTTY === true;
}

/** Whether logs are written for people. */
export function logsAsText({ logFormat }: ListenOptions): boolean {
  return (logFormat ?? (process.stderr.isTTY === true ? 'text' : 'json')) === 'text';
}

/**
 * Starts `lintel-runtime` as a child that serves the bundle folder. Its stdout (one line when it listens) and stderr (its
 * log) are ours; on a terminal both are written for people. The channel to it carries nothing: it closes when we die, however that happens, and the child then stops.
 *
 * It has a process group of its own. Ctrl-C in a terminal reaches a whole group, and with the signal that we hand on, the
 * child would get two: the first drains, the second ends it at once. So it is the second Ctrl-C that cuts running calls.
 */
export function startRuntime(
  bundles: string,
  { kind, name }: ChosenBundle,
  listen: ListenOptions,
  { watch, denial, bridge, absent = NONE_ABSENT, onListening }: RunOptions,
): ChildProcess {
  const args = [
    ...['--bundle', bundles, `--${kind}`, name],
    ...(listen.host === undefined ? [] : ['--host', listen.host]),
    ...(listen.port === undefined ? [] : ['--port', listen.port]),
    ...(listen.internalAddress === undefined ? [] : ['--internal-address', listen.internalAddress]),
    ...(listen.allowedOrigin ?? []).flatMap(origin => ['--allowed-origin', origin]),
    ...(listen.stateDir === undefined ? [] : ['--state-dir', listen.stateDir]),
    ...denialArguments(denial),
    '--bridge',
    bridge.url,
    ...(watch ? ['--watch'] : []),
  ];
  const asText = listensForPerson();
  const child = spawn(process.execPath, [runtimeFile(), ...args], {
    detached: true,
    env: { ...process.env, [BRIDGE_TOKEN_VARIABLE]: bridge.token },
    stdio: [
      'ignore',
      asText || onListening !== undefined ? 'pipe' : 'inherit',
      logsAsText(listen) ? 'pipe' : 'inherit',
      'ipc',
    ],
  });
  const color = useColor(process.stderr);
  eachLine(child.stdout, line => {
    const listening = asListening(line);
    const shown = { absent, columns: process.stdout.columns, color: useColor(process.stdout) };
    process.stdout.write(asText && listening !== undefined ? listeningText(listening, shown) : `${line}\n`);
    if (listening !== undefined) onListening?.(listening);
  });
  eachLine(child.stderr, line => process.stderr.write(`${logText(line, color)}\n`));
  return child;
}

function eachLine(stream: Readable | null, use: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', use);
}

function asListening(line: string): Listening | undefined {
  const announced = JSON.parse(line);
  return announced.event === 'listening' ? announced : undefined;
}

/**
 * The program that ships next to this one. It makes all connections of our commands.
 *
 * @throws UsageError where the environment makes TLS connections unsafe
 */
export function runtimeFile(): string {
  const problem = tlsProblem(process.env);
  if (problem !== undefined) throw new UsageError(problem);
  return programBeside('lintel-runtime.js');
}

/** Hands signals on to the child and resolves with its exit code: the runtime drains, then the bridge and we end. */
export async function superviseRuntime(child: ChildProcess, bridge: BridgeProcess): Promise<number> {
  const ended = waitForEnd(child);
  const failure = await Promise.race([ended.then(() => undefined), bridge.failed]);
  if (failure === undefined) return ended;
  process.stderr.write(`lintel: the bridge of the stdio servers ${failure}\n`);
  child.kill('SIGTERM');
  await ended;
  return 70;
}

function waitForEnd(child: ChildProcess): Promise<number> {
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  const orphaned = () => void child.kill('SIGTERM');
  process.on('SIGINT', forward).on('SIGTERM', forward).on('disconnect', orphaned);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // Not `exit`: lines of its last log may still be on their way.
    child.once('close', (code, signal) => {
      process.off('SIGINT', forward).off('SIGTERM', forward).off('disconnect', orphaned);
      resolve(code ?? toExitCode(signal));
    });
  });
}

/** What we were asked to end by is a clean end; anything else, such as the kernel's SIGKILL for want of memory, is not. */
function toExitCode(signal: NodeJS.Signals | null): 0 | 70 {
  if (signal === 'SIGINT' || signal === 'SIGTERM') return 0;
  process.stderr.write(`lintel: the runtime was ended by ${signal}\n`);
  return 70;
}
