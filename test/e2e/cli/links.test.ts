/** `lintel` prints links on terminals that support them. */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { findLinks } from '../../../compiler/commands/use-links.ts';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import { WITH_ERROR } from '../specs.ts';

const LINK = '\u001b]8;;';

/** Standard output is a pipe in all rows. */
test.each<[string, Record<string, string>, boolean]>([
  ['a terminal that supports links', { TERM: 'xterm-kitty' }, false],
  ['FORCE_HYPERLINK', { FORCE_HYPERLINK: '1' }, true],
  ['FORCE_HYPERLINK=0', { FORCE_HYPERLINK: '0' }, false],
])('lintel prints links in a pipe only if the environment forces links: %s', async (_, env, isLinked) => {
  await using folder = await temporaryFolder(WITH_ERROR);
  const options = { cwd: folder.path, env };
  const check = await runLintel(['check', '.'], options);
  const json = await runLintel(['check', '.', '--format', 'json'], options);
  expect([check.stdout.includes(LINK), json.stdout.includes(LINK)]).toEqual([isLinked, false]);
});

test.each<[env: Record<string, string>, isLinked: boolean]>([
  [{}, false],
  [{ TERM: 'xterm-256color' }, false],
  [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, false],
  [{ TERM: 'xterm-kitty' }, true],
  [{ TERM: 'alacritty' }, true],
  [{ TERM: 'foot' }, true],
  [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.0.15' }, false],
  [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.1.0' }, true],
  [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '4' }, true],
  [{ TERM_PROGRAM: 'WezTerm', TERM_PROGRAM_VERSION: '20240203-110809-5046fc22' }, true],
  [{ TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.71.2' }, false],
  [{ TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.107.0' }, true],
  [{ TERM_PROGRAM: 'vscode' }, false],
  [{ TERM_PROGRAM: 'ghostty' }, true],
  [{ TERM_PROGRAM: 'Apple_Terminal', TERM_PROGRAM_VERSION: '455' }, false],
  [{ VTE_VERSION: '5000' }, false],
  [{ VTE_VERSION: '7600' }, true],
  [{ KONSOLE_VERSION: '200400' }, false],
  [{ KONSOLE_VERSION: '220401' }, true],
  [{ WT_SESSION: '4b1e' }, true],
  [{ TERM: 'screen-256color', VTE_VERSION: '7600' }, false],
  [{ TERM: 'tmux-256color', TMUX: '/tmp/tmux-0/default,1,0', VTE_VERSION: '7600' }, false],
  [{ TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.3a', TMUX: '/tmp/tmux-0/default,1,0' }, false],
  [{ TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.4', TMUX: '/tmp/tmux-0/default,1,0' }, true],
  [{ TERM: 'xterm-kitty', CI: 'true' }, false],
  [{ TERM: 'xterm-kitty', NO_COLOR: '1' }, false],
  [{ TERM: 'xterm-kitty', FORCE_HYPERLINK: '0' }, false],
  [{ TERM: 'dumb', VTE_VERSION: '7600' }, false],
  [{ TERM: 'dumb', FORCE_HYPERLINK: '1' }, true],
  [{ NO_COLOR: '1', FORCE_HYPERLINK: '1' }, true],
])('lintel decides whether it prints links on a terminal with the environment %j: %s', (env, isLinked) => {
  expect(findLinks({ isTTY: true }, env) !== undefined).toBe(isLinked);
  expect(findLinks({ isTTY: false }, env) !== undefined).toBe('FORCE_HYPERLINK' in env && isLinked);
});

test.each<[env: Record<string, string>, file: string, expected: string | undefined]>([
  [{ TERM: 'alacritty' }, 'specs/a.yaml', pathToFileURL(resolve('specs/a.yaml')).href],
  [{ TERM: 'alacritty' }, '/specs/a b#1?.yaml', 'file:///specs/a%20b%231%3F.yaml'],
  [{ TERM: 'alacritty' }, '/specs/\u001b\\.yaml', 'file:///specs/%1B%5C.yaml'],
  [{ TERM: 'xterm-kitty' }, '/specs/a.yaml', 'file:///specs/a.yaml#7'],
  [
    { TERM: 'alacritty', SSH_CONNECTION: '::1 1 ::1 22' },
    '/specs/a.yaml',
    `file://${hostname().toLowerCase()}/specs/a.yaml`,
  ],
  [{ TERM: 'alacritty' }, '<stdin>', undefined],
  [{ TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.107.0' }, '/specs/a.yaml', undefined],
])(
  'on a terminal with the environment %j the position of a finding in the file %s has the link %s',
  (env, file, expected) => {
    expect(findLinks({ isTTY: true }, env)?.placeUri(file, 7)).toBe(expected);
  },
);
