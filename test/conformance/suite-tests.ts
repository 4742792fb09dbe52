import { beforeAll, describe, expect, test } from 'vitest';
import { type Report, RUN_LIMIT_MS, runSuite, scenariosByRevision } from './suite.ts';
import type { Target } from './targets.ts';

const revisions = [...(await scenariosByRevision())];

/** Tests for each scenario of each revision, against the server that `start` returns. */
export function scenarioTests(start: (revision: string) => Promise<Target>): void {
  describe.each(revisions)('%s', (revision, scenarios) => {
    let report: Report;

    beforeAll(async () => {
      await using target = await start(revision);
      report = await runSuite(target.url, revision);
    }, RUN_LIMIT_MS);

    test.each(scenarios)('the server passes the scenario %s of the public MCP suite', scenario => {
      expect(report.complaints(scenario)).toEqual([]);
    });
  });
}

/** The revisions for which the suite has scenarios. */
export const REVISIONS: readonly string[] = revisions.map(([revision]) => revision);
