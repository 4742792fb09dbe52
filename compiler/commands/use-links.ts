/**
 * Whether a terminal supports links (OSC 8). No terminal reports that, so its environment variables have to identify it. `FORCE_HYPERLINK`
 * overrides (`0` and `false` turn links off). There are no links in a pipe or a file, in CI, with `NO_COLOR`, and on an unknown terminal.
 */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Links } from '../diagnostics/render/hyperlink.ts';
import { STDIN_NAME } from '../source/find-files.ts';
import { isScreen } from './is-screen.ts';

/** The lowest version that supports links, by the value of `TERM_PROGRAM`. */
const PROGRAMS: Readonly<Record<string, readonly number[]>> = {
  ghostty: [0],
  Hyper: [0],
  'iTerm.app': [3, 1],
  rio: [0],
  tmux: [3, 4],
  vscode: [1, 72],
  WezTerm: [20200620],
  zed: [0],
};

/** Values of `TERM` whose terminals support links. */
const TERMINALS = new Set([
  'alacritty',
  'alacritty-direct',
  'contour',
  'foot',
  'foot-extra',
  'xterm-ghostty',
  'xterm-kitty',
]);

/** How a stream shows links; undefined for none. */
export function findLinks(
  stream: Pick<NodeJS.WriteStream, 'isTTY'>,
  env: NodeJS.ProcessEnv = process.env,
): Links | undefined {
  if (!knowsLinks(stream, env)) return undefined;
  const { TERM_PROGRAM, TERM, SSH_CONNECTION = '' } = env;
  // VS Code and related editors turn `file:line:column` into a link themselves, and their link opens the line.
  if (TERM_PROGRAM === 'vscode') return { placeUri: () => undefined };
  return {
    placeUri: (file, line) => {
      if (file === STDIN_NAME) return undefined;
      const url = pathToFileURL(resolve(file));
      // Without a host name the terminal would look for the file on the person's machine.
      if (SSH_CONNECTION !== '') url.host = hostname();
      // Only kitty takes the line number from the fragment of the URL. Other terminals would take it as part of the file's name.
      if (TERM === 'xterm-kitty') url.hash = String(line);
      return url.href;
    },
  };
}

function knowsLinks(stream: Pick<NodeJS.WriteStream, 'isTTY'>, env: NodeJS.ProcessEnv): boolean {
  const { FORCE_HYPERLINK = '', NO_COLOR = '', CI = '', TERM = '', TMUX = '' } = env;
  if (FORCE_HYPERLINK !== '') return FORCE_HYPERLINK !== '0' && FORCE_HYPERLINK !== 'false';
  if (!isScreen(stream, env) || NO_COLOR !== '' || CI !== '') return false;
  const { TERM_PROGRAM = '', TERM_PROGRAM_VERSION = '' } = env;
  const least = PROGRAMS[TERM_PROGRAM];
  if (least !== undefined) return isAtLeast(TERM_PROGRAM_VERSION, least);
  // A terminal multiplexer passes on the variables of the outer terminal, but not unknown sequences.
  if (TMUX !== '' || TERM.startsWith('screen')) return false;
  const { VTE_VERSION = '0', KONSOLE_VERSION = '0', WT_SESSION = '', DOMTERM = '' } = env;
  // VTE 0.50.0, whose `VTE_VERSION` is 5000, crashes on a link.
  if (Number(VTE_VERSION) > 5_000 || Number(KONSOLE_VERSION) >= 201_200) return true;
  return WT_SESSION !== '' || DOMTERM !== '' || TERMINALS.has(TERM);
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split(/[.-]/).map(part => Number.parseInt(part, 10) || 0);
  for (const [at, required] of least.entries()) {
    const part = parts[at] ?? 0;
    if (part !== required) return part > required;
  }
  return true;
}
