/** The words that start this program again, for commands that messages suggest. */
import { delimiter } from 'node:path';
import { IS_EXECUTABLE } from './package-files.ts';

/** How a process was started. */
export interface Started {
  readonly isExecutable: boolean;
  /** The first word of the command line, as it was typed. */
  readonly argv0: string;
  /** The absolute path of the script; for a package's command, that of the link to it. */
  readonly script: string;
  readonly env: { readonly PATH?: string | undefined; readonly npm_command?: string | undefined };
}

/** The package's command in a folder of the search path. */
const OWN_LINK = /^(.*)[/\\]lintel(?:\.cmd)?$/;

/**
 * The path or name of a single executable as it was typed, `lintel` where a shell found the command on its search path, and else `npx lintel`:
 * npm puts the commands of a project on the search path of what it starts, and not on that of the person's shell.
 */
export function chooseCommand({ isExecutable, argv0, script, env }: Started): string {
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

/** A word of a command line that shells of POSIX read as it is. */
export function quoteForShell(text: string): string {
  return /^[\w:/.@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
