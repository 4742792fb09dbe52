import { expect, test } from 'vitest';
import { chooseCommand, quoteForShell, type StartedProcess } from '../../../compiler/own-command.ts';

const IN_PROJECT = '/home/ann/specs/node_modules/.bin';

const STARTED: StartedProcess = {
  isExecutable: false,
  argv0: 'node',
  script: `${IN_PROJECT}/lintel`,
  env: { PATH: `${IN_PROJECT}:/usr/bin`, npm_command: 'exec' },
};

test.each<[how: string, started: Partial<StartedProcess>, command: string]>([
  ['npx', {}, 'npx lintel'],
  ['a script of package.json', { env: { ...STARTED.env, npm_command: 'run-script' } }, 'npx lintel'],
  ['the command of a global package', { script: '/usr/bin/lintel', env: { PATH: '/usr/bin' } }, 'lintel'],
  ['a shell that has the commands of the project', { env: { PATH: STARTED.env.PATH } }, 'lintel'],
  ["a shell with the project's commands on its PATH", { env: { PATH: '/usr/bin' } }, 'npx lintel'],
  ['Node and a file of a clone', { script: '/src/lintel/dist/lintel.js', env: { PATH: '/usr/bin' } }, 'npx lintel'],
  ['a single executable on the search path', { isExecutable: true, argv0: 'lintel', script: '' }, 'lintel'],
  [
    'a single executable by its path',
    { isExecutable: true, argv0: './lintel-linux-x64', script: '' },
    './lintel-linux-x64',
  ],
  ['a single executable in a folder with a space', { isExecutable: true, argv0: '/my tools/lintel' }, 'lintel'],
])('if Lintel was started by %s, its messages tell people to run it as $2', (_, started, command) => {
  expect(chooseCommand({ ...STARTED, ...started })).toBe(command);
});

test.each([
  ['./lintel', 'repo', '../lintel'],
  ['bin/lintel', 'repo/deep', '../../bin/lintel'],
  ['../lintel', 'repo', '../../lintel'],
  ['repo/lintel', 'repo', './lintel'],
  ['/opt/lintel', 'repo', '/opt/lintel'],
  ['lintel', 'repo', 'lintel'],
])(
  'for the single executable, started as %s, messages about the folder %s give the command that works in this folder: %s',
  (argv0, folder, command) => {
    const started = { ...STARTED, isExecutable: true, argv0, script: '' };
    expect(chooseCommand(started, folder)).toBe(command);
  },
);

test.each([
  ['notes_search', 'notes_search'],
  ['{"title": "a"}', `'{"title": "a"}'`],
  ["it's", `'it'\\''s'`],
  ['', "''"],
])('a command in a message of Lintel has the word %j quoted for a shell as %s', (text, word) => {
  expect(quoteForShell(text)).toBe(word);
});
