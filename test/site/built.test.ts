/** The site as Eleventy writes it: each link has a target, and users can navigate it in a browser, offline, with any input device. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOOKS, PageBrowser } from '../support/browser-page.ts';
import { withPeers } from '../support/peers.ts';
import { ROOT, run, type TemporaryFolder, temporaryFolder } from '../support/process.ts';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  html: 'text/html',
};

let folder: TemporaryFolder;

withPeers('@11ty/eleventy').describe('the site', () => {
  beforeAll(async () => {
    folder = await temporaryFolder();
    const made = await run(join(ROOT, 'build/site/main.ts'), [folder.file('site')], {
      nodeOptions: ['--conditions=lintel-source'],
      limitMs: 280_000,
    });
    expect(made).toMatchObject({ code: 0, stderr: '' });
  });
  afterAll(() => folder?.[Symbol.asyncDispose]());

  describe('its files', () => {
    test('each link of the documentation site leads to a page, and each fragment to a part of the page', () => {
      const pages = new Map(
        readdirSync(folder.file('site'), { recursive: true, encoding: 'utf8' })
          .filter(name => name.endsWith('.html'))
          .map(name => [name, readFileSync(folder.file(`site/${name}`), 'utf8')]),
      );
      expect(pages.size).toBeGreaterThan(2_000);
      const ids = new Map(
        [...pages].map(([name, text]) => [name, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
      );
      const broken = [...pages].flatMap(([name, text]) =>
        [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].flatMap(([, href = '']) => {
          if (/^https?:/.test(href)) return [];
          const [path = '', fragment] = href.split('#');
          const target = path === '' ? name : posix.join(dirname(name), decodeURIComponent(path));
          if (!ids.has(target)) return [`${name}: ${href}: no such page`];
          if (fragment === undefined) return [];
          return ids.get(target)?.has(decodeURIComponent(fragment)) ? [] : [`${name}: ${href}: no such part`];
        }),
      );
      expect(broken).toEqual([]);
    });

    test('no page of the documentation site loads a script, a style or an image of another site', () => {
      for (const name of ['index.html', 'docs/operate.html', 'codes/LNT5008.html', 'fields/VirtualMCPServer.html']) {
        const text = readFileSync(folder.file(`site/${name}`), 'utf8');
        expect(text).toContain(`content="default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self';`);
        expect([...text.matchAll(/<(script|link|img|style)\b[^>]*>/g)].map(([tag]) => tag)).toEqual([
          expect.stringMatching(/^<link rel="icon" href="(\.\.\/)*icon\.svg">$/),
          expect.stringMatching(/^<link rel="stylesheet" href="(\.\.\/)*site\.css">$/),
          expect.stringMatching(/^<script src="(\.\.\/)*site\.js" defer>$/),
        ]);
      }
    });

    test('the page of a finding code on the documentation site shows its severity, and other pages link to it where they name the code', () => {
      const text = readFileSync(folder.file('site/codes/LNT1009.html'), 'utf8');
      expect(text).toMatch(/<dt>severity<\/dt><dd>error<\/dd>/);
      expect(text).not.toContain('since: 0.1.0');
      expect(readFileSync(folder.file('site/docs/fields.html'), 'utf8')).toContain(
        '<a href="../codes/LNT1009.html"><code>LNT1009</code></a>',
      );
    });
  });

  withPeers('chromium', 'playwright-core', 'axe-core').describe('in Chromium', () => {
    let browser: PageBrowser;
    let server: Server;
    let origin: string;
    beforeAll(async () => {
      browser = await PageBrowser.launch();
      server = createServer(({ url = '' }, response) => {
        const { pathname } = new URL(url, 'http://localhost');
        const type = TYPES[pathname.split('.').at(-1) ?? ''];
        if (type === undefined) return response.writeHead(404).end();
        return response.setHeader('Content-Type', type).end(readFileSync(folder.file(decodeURI(pathname))));
      });
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterAll(async () => {
      server?.close();
      await browser?.[Symbol.asyncDispose]();
    });

    /** In a folder of the server. */
    const served = (page: string) => `${origin}/site/${page}`;
    const onDisk = (page: string) => pathToFileURL(folder.file(`site/${page}`)).href;
    const PARTS = { requests: /\/site\/(icon\.svg|site\.css|site\.js|search\.js)$/ };

    test.each([
      ...['index.html', 'docs/access.html', 'codes/LNT5008.html', 'fields/VirtualMCPServer.spec.config.html'].flatMap(
        page => LOOKS.map(look => [page, look] as const),
      ),
      ...LOOKS.slice(0, 1).map(look => ['fields/VirtualMCPServer.html', look] as const),
    ])('the page %s of the documentation site fits the window at %o, and axe finds no problem', async (page, look) => {
      await browser.expectSound(served(page), page.replaceAll('/', '-'), look, { expects: PARTS });
    });

    const searched = async (page: Page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('LNT5008');
      await expect.poll(() => page.locator('#results a').count()).toBeGreaterThan(0);
    };

    test.each(LOOKS)(
      'a page with search results of the documentation site fits the window at %o, and axe finds no problem',
      async look => {
        await browser.expectSound(served('docs/access.html'), 'results', look, { expects: PARTS }, searched);
      },
    );

    const findsByKeyboard = async (page: Page) => {
      await searched(page);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(/codes\/LNT5008\.html$/);
      expect(await page.locator('h1').textContent()).toBe('LNT5008 composite-escalation');
    };

    const FOUND = { requests: /\/site\/(icon\.svg|site\.css|site\.js|search\.js|codes\/LNT5008\.html)$/ };

    test('the search of the documentation site works from the disk, without a network and by keyboard', async () => {
      await browser.onPage(onDisk('docs/access.html'), { offline: true, expects: FOUND }, async page => {
        await findsByKeyboard(page);
        await page.keyboard.press('/');
        await page.keyboard.type('zzzzzz');
        await expect.poll(() => page.locator('#count').textContent()).toBe('Nothing found');
        await page.keyboard.press('Escape');
        expect(await page.getByRole('searchbox').inputValue()).toBe('');
      });
    });

    test('the search of the documentation site works from a file server', async () => {
      await browser.onPage(served('index.html'), { expects: FOUND }, findsByKeyboard);
    });

    test('the pages of the documentation site are readable without scripts, and then have no search', async () => {
      await browser.onPage(
        onDisk('index.html'),
        { offline: true, expects: PARTS, javaScriptEnabled: false },
        async page => {
          expect(await page.getByRole('searchbox').count()).toBe(0);
          expect(await page.getByRole('navigation').getByRole('link').count()).toBeGreaterThan(20);
        },
      );
    });
  });
});
