import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectGolden } from '../../../support/golden.ts';
import { runLintel } from '../../../support/lintel.ts';
import { PROGRAM, run } from '../../../support/process.ts';

const runRuntime = (args: readonly string[]) => run(PROGRAM.runtime, args);

const COMMANDS = [
  ['lintel', runLintel, []],
  ['lintel-init', runLintel, ['init']],
  ['lintel-import', runLintel, ['import']],
  ['lintel-check', runLintel, ['check']],
  ['lintel-build', runLintel, ['build']],
  ['lintel-exposure', runLintel, ['exposure']],
  ['lintel-diff', runLintel, ['diff']],
  ['lintel-can', runLintel, ['can']],
  ['lintel-find', runLintel, ['find']],
  ['lintel-matrix', runLintel, ['matrix']],
  ['lintel-test', runLintel, ['test']],
  ['lintel-serve', runLintel, ['serve']],
  ['lintel-dev', runLintel, ['dev']],
  ['lintel-connect', runLintel, ['connect']],
  ['lintel-ls', runLintel, ['ls']],
  ['lintel-call', runLintel, ['call']],
  ['lintel-top', runLintel, ['top']],
  ['lintel-verify', runLintel, ['verify']],
  ['lintel-doctor', runLintel, ['doctor']],
  ['lintel-doctor-auth', runLintel, ['doctor', 'auth']],
  ['lintel-baseline', runLintel, ['baseline']],
  ['lintel-lock', runLintel, ['lock']],
  ['lintel-export', runLintel, ['export']],
  ['lintel-audit', runLintel, ['audit']],
  ['lintel-audit-verify', runLintel, ['audit', 'verify']],
  ['lintel-schema', runLintel, ['schema']],
  ['lintel-explain', runLintel, ['explain']],
  ['lintel-lsp', runLintel, ['lsp']],
  ['lintel-completion', runLintel, ['completion']],
  ['lintel-runtime', runRuntime, []],
] as const;

test('`lintel COMMAND --help` prints the text of the golden file for every command', async () => {
  const texts = new Map<string, string>();
  for (const [name, runProgram, args] of COMMANDS) {
    const { code, stdout, stderr } = await runProgram([...args, '--help']);
    expect([code, stderr], name).toEqual([0, '']);
    // A group of commands leaves them to its commands.
    if (name !== 'lintel-audit') expect(stdout, name).toContain('Exit codes:');
    texts.set(`${name}.txt`, stdout);
  }
  expectGolden(join(import.meta.dirname, 'cases'), texts);
});

test('every command that the help lists has a golden file', async () => {
  const { stdout } = await runLintel(['--help']);
  const names = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  const known = new Set(COMMANDS.flatMap(([, , [name]]) => name ?? []));
  expect(names.filter(name => name !== 'help').toSorted(), 'a command is added to COMMANDS').toEqual(
    [...known].toSorted(),
  );
});
