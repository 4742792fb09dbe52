import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectGolden } from '../../../support/golden.ts';
import { PROGRAM, run } from '../../../support/process.ts';

const COMMANDS = [
  ['lintel', PROGRAM.lintel, []],
  ['lintel-init', PROGRAM.lintel, ['init']],
  ['lintel-import', PROGRAM.lintel, ['import']],
  ['lintel-check', PROGRAM.lintel, ['check']],
  ['lintel-build', PROGRAM.lintel, ['build']],
  ['lintel-exposure', PROGRAM.lintel, ['exposure']],
  ['lintel-diff', PROGRAM.lintel, ['diff']],
  ['lintel-can', PROGRAM.lintel, ['can']],
  ['lintel-find', PROGRAM.lintel, ['find']],
  ['lintel-matrix', PROGRAM.lintel, ['matrix']],
  ['lintel-test', PROGRAM.lintel, ['test']],
  ['lintel-serve', PROGRAM.lintel, ['serve']],
  ['lintel-dev', PROGRAM.lintel, ['dev']],
  ['lintel-connect', PROGRAM.lintel, ['connect']],
  ['lintel-ls', PROGRAM.lintel, ['ls']],
  ['lintel-call', PROGRAM.lintel, ['call']],
  ['lintel-top', PROGRAM.lintel, ['top']],
  ['lintel-doctor', PROGRAM.lintel, ['doctor']],
  ['lintel-doctor-auth', PROGRAM.lintel, ['doctor', 'auth']],
  ['lintel-baseline', PROGRAM.lintel, ['baseline']],
  ['lintel-lock', PROGRAM.lintel, ['lock']],
  ['lintel-export', PROGRAM.lintel, ['export']],
  ['lintel-audit', PROGRAM.lintel, ['audit']],
  ['lintel-audit-verify', PROGRAM.lintel, ['audit', 'verify']],
  ['lintel-schema', PROGRAM.lintel, ['schema']],
  ['lintel-explain', PROGRAM.lintel, ['explain']],
  ['lintel-runtime', PROGRAM.runtime, []],
] as const;

test('the help of every command', async () => {
  const texts = new Map<string, string>();
  for (const [name, script, args] of COMMANDS) {
    const { code, stdout, stderr } = await run(script, [...args, '--help']);
    expect([code, stderr], name).toEqual([0, '']);
    texts.set(`${name}.txt`, stdout);
  }
  expectGolden(join(import.meta.dirname, 'cases'), texts);
});

test('every command that the help lists has its text here', async () => {
  const { stdout } = await run(PROGRAM.lintel, ['--help']);
  const names = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  const known = new Set(COMMANDS.flatMap(([, , [name]]) => name ?? []));
  expect(names.filter(name => name !== 'help').toSorted()).toEqual([...known].toSorted());
});
