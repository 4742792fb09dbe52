/**
 * Finds missing programs of stdio servers before the bridge fails to start them: among the lines of the bridge's log a person would overlook them.
 */
import { resolve } from 'node:path';
import type { StdioPlan } from '#schemas';
import { findCommand } from '#shared/util';
import type { Compilation } from '../../compile/compilation.ts';
import { formatList } from '../../text/describe.ts';
import type { ChosenBundle } from '../choose-bundle.ts';

export interface MissingProgram {
  readonly command: string;
  /** The server that runs the program. */
  readonly server: string;
}

/** The package that provides a program, where the program's name does not tell. */
const BROUGHT_BY: ReadonlyMap<string, string> = new Map([
  ['npx', 'Node.js'],
  ['uvx', 'uv'],
]);

/** Whether the command can be run here; the bridge starts in the working directory. */
export function isMissing({ command, workingDir, env }: Pick<StdioPlan, 'command' | 'workingDir' | 'env'>): boolean {
  const own = env.findLast(({ name }) => name === 'PATH')?.value;
  const path = own?.type === 'text' ? own.text : process.env.PATH;
  const folder = workingDir === null ? process.cwd() : resolve(workingDir);
  return findCommand(command, folder, path ?? '') === undefined;
}

export function findMissingPrograms(
  { gateways }: Compilation,
  { kind, name }: ChosenBundle,
): readonly MissingProgram[] {
  const chosen = gateways.find(({ object }) => `${object.namespace}/${object.name}` === name);
  const backends = kind === 'gateway' ? (chosen?.bundle?.backends ?? []) : [];
  return backends.flatMap(({ name: server, stdio }) =>
    stdio !== undefined && isMissing(stdio) ? [{ command: stdio.command, server }] : [],
  );
}

/** One sentence that lists all missing programs and says what to do. */
export function formatMissingPrograms(programs: readonly MissingProgram[]): string {
  const byCommand = Map.groupBy(programs, ({ command }) => command);
  const list = [...byCommand].map(([command, used]) => {
    const by = BROUGHT_BY.get(command);
    const comes = by === undefined ? '' : `, which comes with ${by}`;
    return `${command} (of ${formatList(used.map(({ server }) => server))}${comes})`;
  });
  const [are, them] = list.length === 1 ? ['a program is', 'it'] : ['programs are', 'them'];
  return `${are} missing: ${list.join(', ')}; install ${them}, put the folder on PATH, or correct command in the spec`;
}
