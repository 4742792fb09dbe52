/** The words that start this program again, for commands that messages suggest. */
import { delimiter, isAbsolute, relative, sep } from 'node:path';
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
 *
 * @param folder in which the person will run the command; by default the working folder of this process
 */
export function chooseCommand({ isExecutable, argv0, script, env }: StartedProcess, folder = ''): string {
  if (isExecutable) return /^[\w:/.@%+\\-]+$/.test(argv0) ? movePath(argv0, folder) : 'lintel';
  const [, linkFolder] = OWN_LINK.exec(script) ?? [];
  const isOnPath = linkFolder !== undefined && (env.PATH ?? '').split(delimiter).includes(linkFolder);
  return isOnPath && env.npm_command === undefined ? 'lintel' : 'npx lintel';
}

/** A relative path of a program, from another folder; a name without a slash is searched for, and stays. */
function movePath(program: string, folder: string): string {
  if (folder === '' || isAbsolute(program) || !/[\\/]/.test(program)) return program;
  const path = relative(folder, program);
  return path.startsWith('..') ? path : `.${sep}${path}`;
}

/**
 * The words that start this program again, such as `npx lintel`.
 *
 * @param folder in which the person will run the command; by default the working folder of this process
 */
export function getOwnCommand(folder?: string): string {
  const [, script = ''] = process.argv;
  return chooseCommand({ isExecutable: IS_EXECUTABLE, argv0: process.argv0, script, env: process.env }, folder);
}

/** A word of a command line in the form in which POSIX shells read it unchanged. */
export function quoteForShell(text: string): string {
  return /^[\w:/.@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
