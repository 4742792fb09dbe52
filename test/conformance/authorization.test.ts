/**
 * Every scenario of the public conformance suite for authorization servers, against a gateway's authorization server, with a user at a browser.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { RawOAuthClient } from '../runtime/auth-server/client.ts';
import { issuingPort, startIssuingGateway } from '../runtime/auth-server/issuing-gateway.ts';
import { oauth2Plan, startOAuth2Upstream } from '../runtime/auth-server/upstreams.ts';
import { freeOwnPort } from '../support/own-port.ts';
import { eventually, start, temporaryFolder } from '../support/process.ts';
import { type Report, RUN_LIMIT_MS, readReport, SUITE, scenariosByRevision } from './suite.ts';

const revisions = [...(await scenariosByRevision(SUITE, 'authorization'))];

test('the authorization scenarios of the public MCP suite cover all three revisions of MCP', () => {
  const names = revisions.map(([revision]) => revision);
  expect(names).toEqual(expect.arrayContaining(['2025-06-18', '2025-11-25', '2026-07-28']));
});

describe.each(revisions)('%s', (revision, scenarios) => {
  let report: Report;
  beforeAll(async () => {
    report = await runAgainstGateway(revision);
  }, RUN_LIMIT_MS);

  test.each(scenarios)('the gateway passes the authorization scenario %s of the public MCP suite', scenario => {
    expect(report.complaints(scenario)).toEqual([]);
  });
});

/** The suite is a registered client, and prints the URL for its user. */
async function runAgainstGateway(revision: string): Promise<Report> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const port = await issuingPort();
  const upstream = await startOAuth2Upstream(`http://127.0.0.1:${port}/oauth/callback`);
  opened.defer(() => upstream.close());
  const gateway = await startIssuingGateway({
    port,
    upstreams: at => [oauth2Plan('forge', upstream, at)],
    plan: { clientDocuments: { maxCached: 256, freshSeconds: 300 } },
  });
  opened.defer(() => gateway.stop());
  const callbackPort = await freeOwnPort();
  const callback = `http://127.0.0.1:${callbackPort}/callback`;
  const client = await RawOAuthClient.registered(gateway, { redirect_uris: [callback] });
  const place = ['--url', gateway.issuer, '--resource', gateway.origin, '--spec-version', revision];
  const args = ['authorization', ...place, '--client-id', client.id, '--port', String(callbackPort)];
  const suite = opened.use(start(SUITE.program, [...args, '-o', folder.path], { limitMs: RUN_LIMIT_MS }));
  const ended = suite.exitCode();
  const sentTo = () => /^http\S+\/oauth\/authorize\?\S+$/m.exec(suite.stdout.text)?.[0];
  const url = await Promise.race([ended, eventually(sentTo)]);
  if (typeof url === 'string') {
    const page = await client.browser.open(url, callback);
    const end = await client.browser.submit(page, 'allow', callback);
    await (await fetch(end.url)).text();
  }
  await ended;
  return await readReport(folder.path, 'authorization', { stdout: suite.stdout.text, stderr: suite.stderr.text });
}
