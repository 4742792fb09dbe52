import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CODES } from '#compiler';
import { typeErrors } from '../../support/type-check.ts';
import { LOCK_TYPES } from './lock.ts';

const PAGE = new URL('../../../compiler/cdk8s/workflow/README.md', import.meta.url);

test('the README of workflow constructs has a row for every code about workflows, and for no other code', async () => {
  const page = await readFile(PAGE, 'utf8');
  const told = [...page.matchAll(/^\| `(LNT\d{4})` \| (.*?) \|/gm)];
  // Codes from 7030 are about files of workflow tests.
  expect(told.map(([, code]) => code)).toEqual(Object.keys(CODES).filter(code => /^LNT70[012]/.test(code)));
  const answers = ['impossible', 'type error', 'program error', 'still possible'];
  expect(told.filter(([, , answer = '']) => !answers.includes(answer))).toEqual([]);
});

test('the example in the README of workflow constructs type-checks', async () => {
  const page = await readFile(PAGE, 'utf8');
  const example = /```ts\n(.*?)```/s.exec(page)?.[1] ?? '';
  const before = `import type { Gateway } from 'lintel/cdk8s';
import { Caller, bindTools } from 'lintel/cdk8s';
import { catalog } from './lintel.lock.ts';
declare const gateway: Gateway;
const github = { tools: bindTools(catalog.github) };
`;
  expect(typeErrors({ 'lintel.lock.ts': LOCK_TYPES, 'app.ts': `${before}${example}` })).toEqual([]);
  expect(example).toContain('new Workflow(');
});
