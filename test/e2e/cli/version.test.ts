import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM, ROOT, run } from '../../support/process.ts';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

test.each([
  ['lintel', PROGRAM.lintel],
  ['lintel-runtime', PROGRAM.runtime],
])('`%s --version` prints only the version', async (_, script) => {
  expect(await run(script, ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});
