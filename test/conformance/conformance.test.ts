/** Every scenario for servers that the public conformance suite has, in every protocol revision it knows. */
import { describe, expect, test } from 'vitest';
import { REVISIONS, scenarioTests } from './suite-tests.ts';
import { startBackend, startGateway } from './targets.ts';

test('the suite has scenarios for the revisions that there are', () => {
  expect(REVISIONS).toEqual(expect.arrayContaining(['2025-06-18', '2025-11-25', '2026-07-28']));
});

// What fails against the backend alone is no fault of the gateway.
describe.each([
  ['backend', startBackend],
  ['gateway', startGateway],
] as const)('%s', (_, start) => scenarioTests(start));
