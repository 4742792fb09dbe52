/**
 * Whether a terminal knows links (OSC 8), which no terminal says of itself: the variables that it sets tell which one it is. `FORCE_HYPERLINK`
 * decides where it is set (`0` and `false` off). Otherwise there are none in a pipe or a file, in CI, with `NO_COLOR`, and on a terminal
 * that is not known.
 */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Links } from '../diagnostics/render/hyperlink.ts';
import { STDIN_NAME } from '../source/find-files.ts';
import { isScreen } from './is-screen.ts';

/** By `TERM_PROGRAM`: the least version that knows links. */
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

/** By `TERM`. */
const TERMINALS = new Set([
  'alacritty',
  'alacritty-direct',
  'contour',
  'foot',
  'foot-extra',
  'xterm-ghostty',
  'xterm-kitty',
]);

/** What becomes a link on a stream; undefined for nothing. */
export function linksOn(
  stream: Pick<NodeJS.WriteStream, 'isTTY'>,
  env: NodeJS.ProcessEnv = process.env,
): Links | undefined {
  if (!knowsLinks(stream, env)) return undefined;
  const { TERM_PROGRAM, TERM, SSH_CONNECTION = '' } = env;
  // VS Code and its kin make a link of `file:line:column` themselves, and one that goes to the line.
  if (TERM_PROGRAM === 'vscode') return { placeUri: () => undefined };
  return {
    placeUri: (file, line) => {
      if (file === STDIN_NAME) return undefined;
      const url = pathToFileURL(resolve(file));
      // Without it the terminal would look for the file on the machine in front of the person.
      if (SSH_CONNECTION !== '') url.host = hostname();
      // Others take what stands there for a part of the name.
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
  // A multiplexer hands on the variables of the terminal around it, and not what it does not know.
  if (TMUX !== '' || TERM.startsWith('screen')) return false;
  const { VTE_VERSION = '0', KONSOLE_VERSION = '0', WT_SESSION = '', DOMTERM = '' } = env;
  // VTE 0.50.0 ended with a segmentation fault at a link.
  if (Number(VTE_VERSION) > 5_000 || Number(KONSOLE_VERSION) >= 201_200) return true;
  return WT_SESSION !== '' || DOMTERM !== '' || TERMINALS.has(TERM);
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split(/[.-]/).map(part => Number.parseInt(part, 10) || 0);
  for (const [at, wanted] of least.entries()) {
    const part = parts[at] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
