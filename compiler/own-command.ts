/** The words that start this program again, for commands that messages suggest. */
import { delimiter } from 'node:path';
import { IS_EXECUTABLE } from './package-files.ts';

/** How a process was started. */
export interface StartedProcess {
  readonly isExecutable: boolean;
  /** The first word of the command line, as it was typed. */
  readonly argv0: string;
  /** The absolute path of the script; for a package's command, the path of the link to it. */
  readonly script: string;
  readonly env: { readonly PATH?: string | undefined; readonly npm_command?: string | undefined };
}

/** The package's command in a folder of the search path. */
const OWN_LINK = /^(.*)[/\\]lintel(?:\.cmd)?$/;

/**
 * For a single executable, the path or name as it was typed; `lintel` when a shell found the command on its search path; otherwise
 * `npx lintel`. npm adds a project's commands to the search path of the processes that it starts, but not to that of the person's shell.
 */
export function chooseCommand({ isExecutable, argv0, script, env }: StartedProcess): string {
  if (isExecutable) return /^[\w:/.@%+\\-]+$/.test(argv0) ? argv0 : 'lintel';
  const [, folder] = OWN_LINK.exec(script) ?? [];
  const isOnPath = folder !== undefined && (env.PATH ?? '').split(delimiter).includes(folder);
  return isOnPath && env.npm_command === undefined ? 'lintel' : 'npx lintel';
}

/** The words that start this program again, such as `npx lintel`. */
export function getOwnCommand(): string {
  const [, script = ''] = process.argv;
  return chooseCommand({ isExecutable: IS_EXECUTABLE, argv0: process.argv0, script, env: process.env });
}

/** A word of a command line in the form in which POSIX shells read it unchanged. */
export function quoteForShell(text: string): string {
  return /^[\w:/.@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
