/** Every scenario for servers that the public conformance suite has, in every protocol revision it knows. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Report, RUN_LIMIT_MS, runSuite, scenariosByRevision } from './suite.ts';
import { startBackend, startGateway } from './targets.ts';

const revisions = [...(await scenariosByRevision())];

test('the suite has scenarios for the revisions that there are', () => {
  const known = revisions.map(([revision]) => revision);
  expect(known).toEqual(expect.arrayContaining(['2025-06-18', '2025-11-25', '2026-07-28']));
});

// What fails against the backend alone is no fault of the gateway.
describe.each([
  ['backend', startBackend],
  ['gateway', startGateway],
] as const)('%s', (_, start) => {
  describe.each(revisions)('%s', (revision, scenarios) => {
    let report: Report;

    beforeAll(async () => {
      await using target = await start(revision);
      report = await runSuite(target.url, revision);
    }, RUN_LIMIT_MS);

    test.each(scenarios)('%s', scenario => {
      expect(report.complaints(scenario)).toEqual([]);
    });
  });
});
