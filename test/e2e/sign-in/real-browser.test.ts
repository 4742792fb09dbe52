/** A user signs in with a real browser: by keyboard, on a phone, without scripts, in two tabs, and back and forth. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestUpstream } from '../../runtime/auth-server/upstreams.ts';
import { launchChromium } from '../../support/chromium.ts';
import { withPeers } from '../../support/peers.ts';
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts';

/** With the name of a folder, each page is saved as a picture: `LINTEL_SCREENSHOTS=/tmp/pages npx vitest run test/e2e/sign-in`. */
const { LINTEL_SCREENSHOTS: pictures = '' } = process.env;
if (pictures !== '') mkdirSync(pictures, { recursive: true });

const PHONE = { viewport: { width: 360, height: 740 } } as const;

withPeers('chromium', 'playwright-core').describe('in Chromium', () => {
  let world: SignInWorld;
  let browser: Browser;
  let people = 0;
  beforeAll(async () => {
    [world, browser] = [await startSignInWorld(), await launchChromium()];
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  // A user who has signed in before skips the upstreams whose tokens are still valid.
  beforeEach(() => {
    people += 1;
    world.company.person = `person-${people}`;
  });

  /** Runs with a browser of its own, whose pages must not violate their Content-Security-Policy. */
  async function inBrowser(options: BrowserContextOptions, work: (context: BrowserContext) => Promise<void>) {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    context.on('console', message => void complaints.push(message.text()));
    try {
      await work(context);
    } finally {
      await context.close();
    }
    expect(complaints.filter(text => /content security policy|refused/i.test(text))).toEqual([]);
  }

  const pressed = async (page: Page, ...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };

  const atClient = async (page: Page) => {
    await page.waitForURL(url => url.origin === world.clientOrigin);
    return new URL(page.url()).searchParams;
  };

  async function picture(page: Page, name: string): Promise<void> {
    if (pictures !== '') await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  }

  /** Expected of every page: accessible to screen readers, no scripts, nothing from other origins, no wider than a phone. */
  async function isSound(page: Page, response: Response | null): Promise<void> {
    const headers = response?.headers() ?? {};
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/,
    );
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('same-origin');
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(await page.locator('main h1').count()).toBe(1);
    expect(await page.title()).toBe(await page.locator('h1').textContent());
    expect(await page.locator('script, link, img, iframe').count()).toBe(0);
    const width = page.viewportSize()?.width ?? 0;
    const main = await page.locator('main').boundingBox();
    expect((main?.x ?? 0) + (main?.width ?? 0)).toBeLessThanOrEqual(width);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    for (const button of await page.getByRole('button').all())
      expect((await button.boundingBox())?.height ?? 0, 'room for a thumb').toBeGreaterThanOrEqual(44);
  }

  test('a person signs in at two upstreams on a phone, by keyboard and without JavaScript', async () => {
    await inBrowser({ ...PHONE, javaScriptEnabled: false }, async context => {
      const page = await context.newPage();
      const url = world.authorizationUrl();
      const response = await page.goto(url);
      expect(response?.status()).toBe(200);
      const visits = [...(world.company.grants ?? []), ...world.forge.grants].length;
      await pressed(page, 'Tab');
      expect(await page.locator(':focus').textContent()).toBe('Continue');
      await pressed(page, 'Enter');
      const answer = await atClient(page);
      expect(answer.get('state')).toBe(new URL(url).searchParams.get('state'));
      expect(answer.get('iss')).toBe(world.gateway.issuer);
      expect(answer.get('code')).toMatch(/^[\w-]{20,}$/);
      expect([...world.company.grants, ...world.forge.grants].length).toBeGreaterThan(visits + 1);
    });
  });

  test.each([
    ['phone', PHONE],
    ['desk', { viewport: { width: 1280, height: 800 } }],
    ['night', { ...PHONE, colorScheme: 'dark' }],
  ] as const)('the accessibility checker axe finds no problem in the consent page: %s', async (name, options) => {
    await inBrowser(options, async context => {
      const page = await context.newPage();
      await isSound(page, await page.goto(world.authorizationUrl()));
      const places = [world.company, world.forge].map(({ origin }) => new URL(origin).host);
      for (const words of ['Desk Assistant', 'a program on this computer', 'to stay signed in', 'company', ...places])
        expect(await page.locator('main').textContent()).toContain(words);
      await picture(page, `consent-${name}`);
    });
  });

  test('a person can decline a sign-in by keyboard', async () => {
    await inBrowser({}, async context => {
      const page = await context.newPage();
      await page.goto(world.authorizationUrl());
      await pressed(page, 'Tab', 'Tab');
      expect(await page.locator(':focus').textContent()).toBe('Cancel');
      await pressed(page, 'Enter');
      const answer = await atClient(page);
      expect(answer.get('error')).toBe('access_denied');
      expect(answer.has('code')).toBe(false);
    });
  });

  test('a person can sign in from two browser tabs at once, and each tab returns to its client with its own state and code', async () => {
    await inBrowser({}, async context => {
      const [first, second] = [await context.newPage(), await context.newPage()];
      const [firstUrl, secondUrl] = [world.authorizationUrl(), world.authorizationUrl()];
      await first.goto(firstUrl);
      await second.goto(secondUrl);
      await second.getByRole('button', { name: 'Continue' }).click();
      const answers = [await atClient(second)];
      await first.getByRole('button', { name: 'Continue' }).click();
      answers.push(await atClient(first));
      const states = [secondUrl, firstUrl].map(url => new URL(url).searchParams.get('state'));
      expect(answers.map(answer => answer.get('state'))).toEqual(states);
      expect(new Set(answers.map(answer => answer.get('code'))).size).toBe(2);
    });
  });

  test('when a person goes back in the browser after a sign-in, the page says that the sign-in is over, and no second code is issued', async () => {
    await inBrowser(PHONE, async context => {
      const page = await context.newPage();
      const callbacks: string[] = [];
      page.on('request', request => {
        if (request.url().startsWith(`${world.gateway.origin}/oauth/callback`)) callbacks.push(request.url());
      });
      await page.goto(world.authorizationUrl());
      await page.getByRole('button', { name: 'Continue' }).click();
      const answer = await atClient(page);
      expect(callbacks).toHaveLength(2);
      const back = await page.goBack();
      expect(await page.locator('h1').textContent()).toBe('This sign-in is over');
      await isSound(page, back);
      await picture(page, 'over');
      await page.goForward();
      expect((await atClient(page)).get('code')).toBe(answer.get('code'));
      // Each upstream's response is used twice, and counts once.
      for (const url of [...callbacks]) {
        const again = await page.goto(url);
        expect(again?.status()).toBe(400);
        await isSound(page, again);
        expect(await page.getByRole('alert').textContent()).toMatch(/finished already/);
      }
    });
  });

  /** The upstream asks the user for consent while `work` runs. */
  async function asking(upstream: TestUpstream, work: () => Promise<void>): Promise<void> {
    upstream.asks = true;
    try {
      await work();
    } finally {
      upstream.asks = false;
    }
  }

  /** Goes as far as the page of an upstream. */
  async function toUpstream(page: Page, upstream: TestUpstream): Promise<void> {
    await page.goto(world.authorizationUrl());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(url => url.origin === upstream.origin);
  }

  test('a person who goes back in the browser from the page of the upstream can continue the same sign-in', async () => {
    await asking(world.company, () =>
      inBrowser({}, async context => {
        const page = await context.newPage();
        await toUpstream(page, world.company);
        await page.goBack();
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('link', { name: 'yes' }).click();
        expect((await atClient(page)).get('code')).not.toBeNull();
      }),
    );
  });

  test('the browser of a person whom the upstream refuses returns to the client with the error access_denied', async () => {
    world.forge.person = null;
    try {
      await inBrowser({}, async context => {
        const page = await context.newPage();
        await page.goto(world.authorizationUrl());
        await page.getByRole('button', { name: 'Continue' }).click();
        expect((await atClient(page)).get('error')).toBe('access_denied');
      });
    } finally {
      world.forge.person = 'alice';
    }
  });

  /** Pages on which a sign-in ends: the address that leads there, status, heading, and the user's options. */
  type End = readonly [
    name: string,
    open: (page: Page) => Promise<Response | null>,
    status: number,
    title: string,
    advice: RegExp,
  ];
  const ENDS: readonly End[] = [
    [
      'a sign-in that was never started',
      page => page.goto(`${world.gateway.origin}/oauth/sign-in/made-up`),
      400,
      'This sign-in is over',
      /start the sign-in again/,
    ],
    [
      'an unknown or expired answer of an upstream',
      page => page.goto(`${world.gateway.origin}/oauth/callback?state=made-up&code=x`),
      400,
      'This sign-in is over',
      /start the sign-in again/,
    ],
    [
      'a callback without an answer',
      page => page.goto(`${world.gateway.origin}/oauth/callback`),
      400,
      'This page was opened without an answer',
      /start the sign-in again/,
    ],
    [
      'an unknown client',
      page => page.goto(world.authorizationUrl({ client_id: 'made-up' })),
      400,
      'This application is not known here',
      /registers again/,
    ],
    [
      'a client with an unknown redirect URI',
      page => page.goto(world.authorizationUrl({ redirect_uri: 'https://elsewhere.example/' })),
      400,
      'This application wants you to return to an unknown address',
      /close the page/,
    ],
    [
      'an upstream that does not know the code',
      async page => {
        world.forge.asks = true;
        await toUpstream(page, world.forge);
        world.forge.asks = false;
        const state = new URL(page.url()).searchParams.get('state') ?? '';
        return page.goto(`${world.gateway.origin}/oauth/callback?state=${state}&code=made-up`);
      },
      502,
      'This sign-in did not work',
      /tell the operator/,
    ],
  ];

  test.each(ENDS)('%s leads to an error page that says what to do', async (name, open, status, title, advice) => {
    await inBrowser(PHONE, async context => {
      const page = await context.newPage();
      const response = await open(page);
      await page.waitForLoadState();
      expect([response?.status(), await page.locator('h1').textContent()]).toEqual([status, title]);
      await isSound(page, response);
      expect(await page.getByRole('alert').textContent()).not.toBe('');
      expect(await page.locator('main').textContent()).toMatch(advice);
      await picture(page, `end-${name.replaceAll(' ', '-')}`);
    });
  });

  test('a sign-in that was begun in one browser cannot be finished in another browser', async () => {
    await asking(world.forge, () =>
      inBrowser({}, async context => {
        const page = await context.newPage();
        await toUpstream(page, world.forge);
        const yes = await page.getByRole('link', { name: 'yes' }).getAttribute('href');
        const { headers } = await fetch(`${world.forge.origin}${yes}`, { redirect: 'manual' });
        const answer = headers.get('location') ?? '';
        await inBrowser(PHONE, async another => {
          const elsewhere = await another.newPage();
          const response = await elsewhere.goto(answer);
          expect([response?.status(), await elsewhere.locator('h1').textContent()]).toEqual([
            400,
            'This sign-in began elsewhere',
          ]);
          await isSound(elsewhere, response);
          await picture(elsewhere, 'elsewhere');
        });
        // The tab that began can still complete it.
        await page.goto(answer);
        expect((await atClient(page)).get('code')).not.toBeNull();
      }),
    );
  });
});
