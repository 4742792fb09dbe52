/** Every scenario of the public conformance suite for servers, in every protocol revision that it has. */
import { describe, expect, test } from 'vitest';
import { REVISIONS, scenarioTests } from './suite-tests.ts';
import { startBackend, startGateway } from './targets.ts';

test('the scenarios of the public MCP suite cover all three revisions of MCP', () => {
  expect(REVISIONS).toEqual(expect.arrayContaining(['2025-06-18', '2025-11-25', '2026-07-28']));
});

// A failure against the backend alone is not the gateway's.
describe.each([
  ['backend', startBackend],
  ['gateway', startGateway],
] as const)('%s', (_, start) => scenarioTests(start));
