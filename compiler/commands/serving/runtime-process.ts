import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { BRIDGE_TOKEN_VARIABLE, findTlsProblem, listDenialArguments, type PrivateDenial } from '#schemas';
import { resolveProgram } from '../../package-files.ts';
import { UsageError } from '../../usage-error.ts';
import type { ChosenBundle } from '../choose-bundle.ts';
import { useColor } from '../use-color.ts';
import { type AbsentServers, NONE_ABSENT } from './absent-servers.ts';
import type { BridgeAddress, BridgeProcess } from './bridge-process.ts';
import { formatListening, type ListeningAddress } from './client-snippet.ts';
import { logText } from './log-text.ts';

/** The listen options of the runtime; undefined means its default. */
export interface ListenOptions {
  readonly host?: string;
  readonly port?: string;
  readonly internalAddress?: string;
  readonly allowedOrigin?: readonly string[];
  readonly stateDir?: string;
  /** Files of variables that were loaded. */
  readonly dotenv?: readonly string[];
  /** Log format; undefined means `text` on a terminal and `json` elsewhere. */
  readonly logFormat?: LogFormat;
}

export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface RunOptions {
  readonly watch: boolean;
  readonly denial: PrivateDenial | undefined;
  readonly bridge: BridgeAddress;
  /** Whether the internal pages may get another port when the default one is in use. */
  readonly isInternalFlexible?: boolean;
  /** The servers that cannot start, for the announcement to a person; see `listensForPerson`. */
  readonly absent?: AbsentServers;
  /** Called once, after the announcement was printed. */
  readonly onListening?: (listening: ListeningAddress) => void;
}

/** Whether the announcement is printed as text rather than JSON. */
export function listensForPerson(): boolean {
  return process.stdout.isTTY === true;
}

/** Whether logs are printed as text. */
export function isLogText({ logFormat }: ListenOptions): boolean {
  return (logFormat ?? (process.stderr.isTTY === true ? 'text' : 'json')) === 'text';
}

/**
 * Starts `lintel-runtime` as a child that serves the bundle folder. This process reads its stdout (one line when it listens) and stderr (its
 * log), and formats both for a terminal. The channel carries no data: it closes when this process dies, and the child then stops.
 *
 * It has a process group of its own. Ctrl-C in a terminal reaches a whole group, and this process forwards the signal as well, so a child in the
 * same group would get two signals: the first drains, the second ends it at once. In its own group, only a second Ctrl-C cuts running calls.
 */
export function startRuntime(
  bundles: string,
  { kind, name }: ChosenBundle,
  listen: ListenOptions,
  { watch, denial, bridge, absent = NONE_ABSENT, isInternalFlexible = false, onListening }: RunOptions,
): ChildProcess {
  const args = [
    ...['--bundle', bundles, `--${kind}`, name, '--label', `${kind === 'registry' ? 'registry server' : kind} ${name}`],
    ...(listen.host === undefined ? [] : ['--host', listen.host]),
    ...(listen.port === undefined ? [] : ['--port', listen.port]),
    ...(listen.internalAddress === undefined ? [] : ['--internal-address', listen.internalAddress]),
    ...(isInternalFlexible ? ['--internal-or-free'] : []),
    ...(listen.allowedOrigin ?? []).flatMap(origin => ['--allowed-origin', origin]),
    ...(listen.stateDir === undefined ? [] : ['--state-dir', listen.stateDir]),
    ...listDenialArguments(denial),
    '--bridge',
    bridge.url,
    ...(watch ? ['--watch'] : []),
  ];
  const asText = listensForPerson();
  const child = spawn(process.execPath, [findRuntimeFile(), ...args], {
    detached: true,
    env: { ...process.env, [BRIDGE_TOKEN_VARIABLE]: bridge.token },
    stdio: [
      'ignore',
      asText || onListening !== undefined ? 'pipe' : 'inherit',
      isLogText(listen) ? 'pipe' : 'inherit',
      'ipc',
    ],
  });
  const color = useColor(process.stderr);
  readLines(child.stdout, line => {
    const listening = asListening(line);
    const shown = { absent, columns: process.stdout.columns, color: useColor(process.stdout) };
    process.stdout.write(asText && listening !== undefined ? formatListening(listening, shown) : `${line}\n`);
    if (listening !== undefined) onListening?.(listening);
  });
  readLines(child.stderr, line => process.stderr.write(`${logText(line, color, process.stderr.columns)}\n`));
  return child;
}

function readLines(stream: Readable | null, use: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', use);
}

function asListening(line: string): ListeningAddress | undefined {
  const announced = JSON.parse(line);
  return announced.event === 'listening' ? announced : undefined;
}

/**
 * The file of the program `lintel-runtime`, which ships next to this one and makes all connections for the commands of `lintel`.
 *
 * @throws UsageError when the environment makes TLS connections unsafe
 */
export function findRuntimeFile(): string {
  const problem = findTlsProblem(process.env);
  if (problem !== undefined) throw new UsageError(problem);
  return resolveProgram('lintel-runtime.js');
}

/** Forwards signals to the child and resolves with its exit code: the runtime drains first, then the bridge and this process end. */
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
    // The event `close` and not `exit`, because the last log lines may still be in the pipe at `exit`.
    child.once('close', (code, signal) => {
      process.off('SIGINT', forward).off('SIGTERM', forward).off('disconnect', orphaned);
      resolve(code ?? toExitCode(signal));
    });
  });
}

/**
 * The exit code for a signal. Ending by a forwarded signal is a clean end; any other signal, such as SIGKILL by the kernel when memory runs out, is
 * not.
 */
function toExitCode(signal: NodeJS.Signals | null): 0 | 70 {
  if (signal === 'SIGINT' || signal === 'SIGTERM') return 0;
  process.stderr.write(`lintel: the runtime was ended by ${signal}\n`);
  return 70;
}
