/** Typical first errors in programs, and the commands' messages. */
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { project } from './project.ts';

const APP = `import { App, Chart } from 'cdk8s';
export const make = () => new Chart(new App(), 'eng');
`;

test.each<[what: string, app: string, said: string, at: string]>([
  [
    'throws an object that is not an Error',
    'throw { code: 1 };',
    'the program throws object: { code: 1 }',
    'app.ts:1:1',
  ],
  ['is empty', '', 'the program exports nothing, and no app was written by app.synth()', 'app.ts:1:1'],
  [
    'exports a function with a parameter',
    `import { make } from './lib.ts';\nexport default (stage: string) => make();\n`,
    'the program exports default, none of which is an App or a Chart, and no app was written by app.synth(); functions with parameters are not called: default',
    'app.ts:1:1',
  ],
  [
    'misspells an import',
    `import { maek } from './lib.ts';\nexport default maek();\n`,
    'error[LNT1073] module-not-found: "lib.ts" exports no "maek"',
    'app.ts:1:10',
  ],
])('`lintel check` reports a program that %s', async (_what, app, said, at) => {
  await using folder = await project({ 'app.ts': app, 'lib.ts': APP });
  const { code, stdout } = await runLintel(['check', 'app.ts', '--no-typecheck'], { cwd: folder.path });
  expect(stdout).toContain(`${said}\n`);
  expect(stdout).toContain(`--> ${at}\n`);
  expect(code).toBe(1);
});

test.each<[what: string, args: readonly string[], said: string, input?: string]>([
  [
    'a folder of programs',
    ['check', 'co'],
    'no .yaml, .yml or .json files in co; programs are given by their names: co/app.ts\n',
  ],
  [
    'a program on standard input',
    ['check', '-'],
    'what comes on standard input is a program, and programs are given by their names, such as app.ts\n',
    APP,
  ],
  [
    'an --env with a value, which the error does not repeat',
    ['check', 'co/app.ts', '--env', 'TOKEN=s3cr3t'],
    '--env takes the name of a variable, TOKEN, whose value comes from the environment\n',
  ],
])('`lintel check` exits with code 2 for %s', async (_what, args, said, input = '') => {
  await using folder = await project({ 'co/app.ts': APP, 'co/lib/names.ts': '' });
  const { code, stdout, stderr } = await runLintel(args, { cwd: folder.path, input });
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `lintel: ${said}` });
});

test('`lintel export ts` prints to standard output by default', async () => {
  await using folder = await project({
    'group.yaml': 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: eng }\n',
  });
  const { code, stdout, stderr } = await runLintel(['export', 'ts', 'group.yaml'], { cwd: folder.path });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('new Group(');
});
