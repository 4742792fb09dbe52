import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findNodeProblem } from '#schemas';

test.each(['22.19.0', '22.20.1', '23.0.0', '24.9.0', '100.0.0'])('Lintel accepts Node %s', version => {
  expect(findNodeProblem(version)).toBeUndefined();
});

test.each(['22.18.9', '22.9.0', '20.20.2', '18.0.0', ''])('Lintel refuses Node %j and names the version', version => {
  expect(findNodeProblem(version)).toMatch(`Node ${version} is too old, 22.19 or later is needed`);
});

test('package.json requires the Node versions that Lintel accepts', () => {
  const { engines } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));
  expect(engines.node).toBe('>=22.19.0');
});
