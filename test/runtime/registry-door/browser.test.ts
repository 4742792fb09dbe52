/** What pages of allowed and of other origins can read from a registry server, in a real browser. */
import { afterAll, beforeAll, expect } from 'vitest';
import { inBrowser, type PageAnswer } from '../../support/browser.ts';
import { withPeers } from '../../support/peers.ts';
import { bearer, startDoor, startTrustedProvider, type TrustedProvider, twoRegistries } from './served-door.ts';

let corp: TrustedProvider;
beforeAll(async () => {
  corp = await startTrustedProvider();
});
afterAll(() => corp.close());

const METADATA = '/.well-known/oauth-protected-resource';

/** What a page reads of each response: the status, or that the browser blocked it. */
async function seenBy(host: string, allowed: (origin: string) => readonly string[]) {
  const authorization = bearer(await corp.token());
  const answers = await inBrowser(host, async page => {
    const { origin } = await startDoor(twoRegistries(corp.yaml()), { allowedOrigins: allowed(page) });
    return [
      { url: `${origin}/registry/open/v0.1/servers` },
      { url: `${origin}/registry/main/v0.1/servers`, headers: authorization }, // The browser sends a preflight first.
      { url: `${origin}/registry/main/v0.1/servers` },
      { url: `${origin}/openapi.json` },
      { url: `${origin}${METADATA}` },
      { url: `${origin}${METADATA}`, headers: { 'MCP-Protocol-Version': '2025-11-25' } }, // Like the official client.
    ];
  });
  return answers;
}

const statusOf = (answer: PageAnswer) => ('blocked' in answer ? 'blocked' : answer.status);

const { test } = withPeers('chromium');

test('a page of an allowed origin can read listings, challenges and metadata of the registry server', async () => {
  const answers = await seenBy('editor.test', page => [page]);
  expect(answers.map(statusOf)).toEqual([200, 200, 401, 200, 200, 200]);
  const [open, , challenged, , metadata] = answers as Extract<PageAnswer, { status: number }>[];
  expect(open?.headers.etag).toBeDefined();
  expect(challenged?.headers['www-authenticate']).toContain('resource_metadata=');
  expect(JSON.parse(metadata?.body ?? '')).toMatchObject({ resource: 'https://registry.example' });
});

test('a page of another origin can read only the metadata of the registry server', async () => {
  const answers = await seenBy('other.test', page => [page.replace('other', 'editor')]);
  expect(answers.map(statusOf)).toEqual(['blocked', 'blocked', 'blocked', 'blocked', 200, 200]);
});
