/** The page of a registry server: it contains no data itself, and shows what the API returns for the user's token in the browser. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGE_PARTS, type RegistryEntry } from '#schemas';
import { createOpenApiDocument, createRegistryApi } from '../../../runtime/registry/listing/index.ts';
import { corpus } from '../../bench/registry/corpus.ts';
import { compileConfig, getBundle } from '../../compiler/registry/compiling.ts';
import { LOOKS, PageBrowser, type PageOptions, WIDE } from '../../support/browser-page.ts';
import { withPeers } from '../../support/peers.ts';
import { createTestSnapshot } from '../../support/registry-snapshot.ts';
import { type OpenDoor, openDoor, startTrustedProvider, type TrustedProvider } from '../registry-door/served-door.ts';

const HOSTILE = '<img src=x onerror="document.title=1"></script><script>document.title=2</script>';

const entry = (server: RegistryEntry['server'], more: Partial<RegistryEntry> = {}): RegistryEntry => ({
  ...{ status: 'active', publishedAt: '2026-03-01T09:00:00.000Z', updatedAt: null },
  ...more,
  server,
});

const weather = (version: string) => ({
  name: 'com.example/weather',
  title: 'Weather of any city',
  version,
  description: 'Temperatures and rain.',
  websiteUrl: 'https://weather.example.com/',
  repository: { url: 'https://github.com/example/weather', source: 'github' },
  remotes: [
    {
      type: 'streamable-http',
      url: 'https://weather.example.com/mcp',
      headers: [{ name: 'X-Key', isRequired: true, isSecret: true }],
    },
  ],
  packages: [
    {
      registryType: 'npm',
      identifier: '@example/weather',
      version,
      transport: { type: 'stdio' },
      runtimeArguments: [{ type: 'positional', value: '-y' }],
      packageArguments: [
        { type: 'named', name: '--units', default: 'metric' },
        { type: 'positional', valueHint: 'city', isRequired: true },
      ],
      environmentVariables: [{ name: 'API_KEY', isSecret: true }, { name: 'LANG' }],
    },
    { registryType: 'oci', identifier: 'ghcr.io/example/weather:1', transport: { type: 'stdio' } },
    { registryType: 'mcpb', identifier: 'https://example.com/weather.mcpb', transport: { type: 'stdio' } },
  ],
});

const OURS: readonly RegistryEntry[] = [
  entry(weather('1.0.0'), { status: 'deprecated', statusMessage: 'Take 2.0.0.' }),
  entry(weather('2.0.0')),
  entry({
    name: 'com.example/hostile',
    title: HOSTILE,
    version: '1.0.0',
    description: `Reads \u202egnirts, ${HOSTILE}`,
    websiteUrl: "javascript:document.title='3'",
    remotes: [{ type: 'sse', url: `https://example.com/${HOSTILE}` }],
  }),
];

const config = (provider: TrustedProvider) => `sources:
  - { name: ours, file: { path: /srv/ours.json }, claims: { org: example } }
  - { name: theirs, file: { path: /srv/theirs.json } }
registries: [{ name: main, sources: [ours], claims: { org: example } }, { name: open, sources: [theirs] }]
auth:
  oauth:
    resourceUrl: https://registry.example
    publicPaths: [/registry/open]
    providers:
${provider.yaml()}
  authz: {}
`;

let corp: TrustedProvider;
let door: OpenDoor;
beforeAll(async () => {
  corp = await startTrustedProvider();
  const bundle = getBundle(compileConfig(config(corp)));
  const snapshots = new Map([
    ['ours', createTestSnapshot('ours', OURS)],
    ['theirs', createTestSnapshot('theirs', corpus(10_000))],
  ]);
  door = await openDoor(bundle, {
    api: createRegistryApi(bundle.registries, () => snapshots),
    openapi: createOpenApiDocument(bundle),
  });
});
afterAll(async () => {
  await door?.close();
  await corp?.close();
});

describe('the files of the page', () => {
  test.each(Object.values(PAGE_PARTS))(
    'the file %s of the registry page needs no token, allows no inline script or style, and contains no data',
    async path => {
      const reply = await door.send(path);
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, no-cache',
      });
      for (const known of ['com.example', 'registry.example', corp.idp.issuer]) expect(reply.text).not.toContain(known);
      expect((await door.send(path, { 'if-none-match': String(reply.headers.etag) })).status).toBe(304);
      expect((await door.send(path, {}, 'POST')).status).toBe(405);
    },
  );

  test('the HTML of the registry page has no inline script or style', async () => {
    const { text } = await door.send(PAGE_PARTS.html);
    expect(text).not.toMatch(/<style|<script(?! src="browse\/page\.js" defer><\/script>)|\son\w+=|style=/);
  });
});

withPeers('chromium', 'playwright-core', 'axe-core').describe('in Chromium', () => {
  let browser: PageBrowser;
  beforeAll(async () => {
    browser = await PageBrowser.launch();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  const at = (place = '') => `${door.origin}/browse${place}`;
  const heading = (page: Page) => page.getByRole('heading', { level: 2 });
  const titles = (page: Page) => page.locator('.entries h3').allTextContents();

  /** It only calls its own server. Chromium writes each blocked request to its console. */
  const options = (...refusals: readonly number[]): PageOptions => ({
    viewport: WIDE,
    expects: {
      requests: new RegExp(`^${door.origin}/(browse/page\\.(css|js)|openapi\\.json|\\.well-known/|registry/)`),
      ...(refusals.length > 0 && { complaints: new RegExp(`status of (${refusals.join('|')}) `) }),
    },
  });
  const onPage = (place: string, refusals: readonly number[], look: (page: Page) => Promise<void>) =>
    browser.onPage(at(place), options(...refusals), look);

  async function signIn(page: Page, org = 'example'): Promise<void> {
    await page.getByLabel('Access token').fill(await corp.token({ claims: { org } }));
    await page.getByRole('button', { name: 'Show the entries' }).click();
  }

  const VIEWS: readonly (readonly [string, string, (page: Page) => Promise<void>])[] = [
    ['list', '#/open', page => page.getByRole('link', { name: 'Next page' }).waitFor()],
    ['sign-in', '#/main', page => heading(page).getByText('Sign in with a token').waitFor()],
    [
      'entry',
      '#/main/com.example%2Fweather',
      async page => {
        await signIn(page);
        await heading(page).getByText('Weather of any city').waitFor();
      },
    ],
  ];
  test.each(VIEWS.flatMap(([name, place, ready]) => LOOKS.map(look => [name, look, place, ready] as const)))(
    'the registry page has no accessibility or layout problem in the view %s, %o',
    async (name, look, place, ready) => {
      await browser.expectSound(at(place), `registry-${name}`, look, { ...options(401), ...look }, ready);
    },
  );

  test('a person can page through ten thousand servers on the registry page, and search them', async () => {
    await onPage('#/open', [], async page => {
      await page.getByRole('link', { name: 'Next page' }).waitFor();
      expect(await page.getByRole('status').textContent()).toBe('50 servers on this page; more on the next.');
      const first = await titles(page);
      await page.getByRole('link', { name: 'Next page' }).press('Enter');
      await page.getByRole('link', { name: 'First page' }).waitFor();
      const second = await titles(page);
      expect([first.length, second.length, new Set([...first, ...second]).size]).toEqual([50, 50, 100]);
      // A screen reader begins at the top of the new content.
      expect(await page.evaluate('document.activeElement.textContent')).toBe('open');
      await page.getByRole('searchbox').fill('09999');
      await page.getByText('1 server with “09999” in name, title or description.').waitFor();
      expect(await titles(page)).toHaveLength(1);
      await page.getByRole('searchbox').fill('nothing has this');
      await page.getByText('No server with “nothing has this” in name, title or description.').waitFor();
    });
  });

  test('the registry page without a token shows only which token it needs, and shows entries only while it has a token', async () => {
    await onPage('#/main', [401], async page => {
      await heading(page).getByText('Sign in with a token').waitFor();
      expect(await page.locator('#content').textContent()).toBe('');
      expect(await page.locator('#wanted-token').innerText()).toBe(
        `Issued by\n${corp.idp.issuer}\nFor\nhttps://registry.example`,
      );
      await page.getByLabel('Access token').fill('no-token');
      await page.keyboard.press('Enter');
      await page.getByText('The token was not accepted').waitFor();
      await page.getByLabel('Access token').fill('zwei Wörter');
      await page.keyboard.press('Enter');
      await page.getByText('This is not a token').waitFor();
      await signIn(page);
      await page.getByRole('link', { name: 'Weather of any city' }).waitFor();
      expect(
        await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie, location.href]'),
      ).toEqual([0, 0, '', at('#/main')]);
      await page.getByRole('button', { name: 'Forget the token' }).click();
      await heading(page).getByText('Sign in with a token').waitFor();
      expect(await page.getByText('Weather of any city').count()).toBe(0);
    });
  });

  test('the registry page says so when a token does not have the claims of a registry', async () => {
    await onPage('#/main', [401, 403], async page => {
      await signIn(page, 'another');
      await page.getByText('This token may not see the registry main.').waitFor();
      expect(await page.locator('#content').textContent()).toBe('');
    });
  });

  test('an entry on the registry page has its versions, packages, remotes, and the client configuration that uses it', async () => {
    await onPage('#/main/com.example%2Fweather', [401], async page => {
      await signIn(page);
      await page.getByRole('heading', { name: 'Versions' }).waitFor();
      const rowsOf = (title: string) => page.getByRole('group', { name: title }).locator('tbody tr').allInnerTexts();
      expect(await rowsOf('Versions')).toEqual(['2.0.0\tactive, latest\t2026-03-01', '1.0.0\tdeprecated\t2026-03-01']);
      expect(await rowsOf('Remotes')).toEqual([
        'streamable-http\thttps://weather.example.com/mcp\tX-Key (required) (secret)',
      ]);
      expect(await rowsOf('Packages')).toEqual([
        'npm\t@example/weather\t2.0.0\tstdio\tAPI_KEY (secret), LANG',
        'oci\tghcr.io/example/weather:1\t\tstdio\t',
        'mcpb\thttps://example.com/weather.mcpb\t\tstdio\t',
      ]);
      const snippets = await page.locator('pre code').allTextContents();
      expect(snippets.map(text => JSON.parse(text).mcpServers.weather)).toEqual([
        { type: 'http', url: 'https://weather.example.com/mcp', headers: { 'X-Key': '<X-Key>' } },
        {
          command: 'npx',
          args: ['-y', '@example/weather@2.0.0', '--units', 'metric', '<city>'],
          env: { API_KEY: '<API_KEY>' },
        },
        { command: 'docker', args: ['run', '-i', '--rm', 'ghcr.io/example/weather:1'] },
      ]);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await page.getByText('Copied.').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(snippets[0]);
      await page.getByRole('link', { name: '1.0.0' }).click();
      await page.getByText('deprecated: Take 2.0.0.').waitFor();
    });
  });

  test('texts of an entry on the registry page open no tag, run no script, and reverse no line', async () => {
    await onPage('#/main/com.example%2Fhostile', [401, 404], async page => {
      await signIn(page);
      await heading(page).getByText(HOSTILE).waitFor();
      expect(await page.locator('main img, main script').count()).toBe(0);
      expect(await page.getByText('Reads \\u202egnirts').count()).toBe(1);
      expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
      expect(await page.title()).toBe(`${HOSTILE} · MCP servers`);
      await page.goto(at(`#/${encodeURIComponent(HOSTILE)}`));
      await page.getByText('registry not found').waitFor();
      expect(await page.locator('main img, main script').count()).toBe(0);
    });
  });
});
