/** Opens Lintel's pages in Debian's Chromium: any error in the browser's log and any unexpected request is a failure, and axe checks the pages. */
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { launchChromium } from './chromium.ts';

/** With the name of a folder, each page is saved as a picture: `LINTEL_SCREENSHOTS=/tmp/pages npx vitest run test/compiler/exposure-page`. */
const { LINTEL_SCREENSHOTS: pictures = '' } = process.env;
if (pictures !== '') mkdirSync(pictures, { recursive: true });

export const WIDE = { width: 1280, height: 900 };
export const PHONE = { width: 360, height: 740 };

/** The settings with which each page is checked: light and dark, on a desktop and on a phone. */
export const LOOKS = (['light', 'dark'] as const).flatMap(colorScheme =>
  [WIDE, PHONE].map(viewport => ({ colorScheme, viewport })),
);

/** Cells whose text breaks into three lines or more although they could be wider, which would make their rows tall and empty. */
const NARROW_TEXTS = `[...document.querySelectorAll('td')]
  .filter(cell => cell.getBoundingClientRect().height > 0 && cell.textContent.includes(' '))
  .filter(cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const { height, width } = range.getBoundingClientRect();
    return height > 60 && width < 120;
  })
  .map(cell => cell.textContent)`;

/** Words of cells that break between two letters, although a column has room for words of this length. */
const BROKEN_WORDS = `[...document.querySelectorAll('td')].flatMap(cell => {
  const broken = [];
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data } = texts.currentNode;
    for (const { 0: letters, index } of data.matchAll(/\\w{2,}/g)) {
      const word = /\\S*$/.exec(data.slice(0, index))[0] + /^\\S*/.exec(data.slice(index))[0];
      if (word.length > 24) continue;
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + letters.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
    }
  }
  return broken;
})`;

/** Tables of which a column is outside of the screen until a person scrolls sideways. */
const WIDE_TABLES = `[...document.querySelectorAll('table')]
  .filter(({ parentElement: box }) => box.scrollWidth > box.clientWidth)
  .map(({ tHead }) => tHead.textContent)`;

/** Cells with text that do not show the head of their column. */
const UNLABELLED = `[...document.querySelectorAll('td')]
  .filter(cell => cell.getBoundingClientRect().height > 0)
  .filter(cell => {
    const { cellIndex, parentElement: row } = cell;
    const head = row.closest('table').tHead.rows[0].cells[cellIndex].textContent.trim();
    const { content } = getComputedStyle(cell, '::before');
    return head !== '' && content !== JSON.stringify(head) + ' ": "' && content !== JSON.stringify(head + ': ');
  })
  .map(cell => cell.textContent)`;

export interface PageOptions extends BrowserContextOptions {
  readonly expects?: { readonly requests?: RegExp; readonly complaints?: RegExp };
}

export class PageBrowser implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #axe: string;

  private constructor(browser: Browser, axe: string) {
    this.#browser = browser;
    this.#axe = axe;
  }

  static async launch(): Promise<PageBrowser> {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    return new PageBrowser(await launchChromium(), axe);
  }

  /**
   * Opens a page; fails for any error in the browser's log, and for any request except that for the page.
   *
   * @param expects requests and errors that are allowed; by default none
   */
  async onPage(
    href: string,
    { expects = {}, ...options }: PageOptions,
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    const requests: string[] = [];
    const page = await context.newPage();
    page.on('console', message => void complaints.push(message.text()));
    page.on('pageerror', error => void complaints.push(error.message));
    page.on('request', request => void requests.push(request.url()));
    try {
      await page.goto(href);
      await look(page);
    } finally {
      await context.close();
    }
    const besides = (texts: readonly string[], expected?: RegExp) =>
      texts.filter(text => expected === undefined || !expected.test(text));
    expect(besides(complaints, expects.complaints)).toEqual([]);
    expect(requests[0]).toBe(href.split('#')[0]);
    expect(besides(requests.slice(1), expects.requests)).toEqual([]);
  }

  /**
   * Expects that the page and its tables are no wider than the screen, that a phone shows each cell behind the head of its column, and that axe
   * finds nothing.
   *
   * @param ready brings the page into the state to check; by default as opened
   */
  async expectSound(
    href: string,
    name: string,
    { colorScheme, viewport }: (typeof LOOKS)[number],
    options: PageOptions = {},
    ready: (page: Page) => Promise<void> = async () => {},
  ) {
    // For a page that allows only its own script, axe is injected with the browser's tools.
    await this.onPage(href, { colorScheme, viewport, bypassCSP: true, ...options }, async page => {
      await ready(page);
      if (pictures !== '')
        await page.screenshot({
          path: join(pictures, `${name}-${colorScheme}-${viewport.width}.png`),
          fullPage: viewport === WIDE,
        });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
      expect(await page.evaluate(NARROW_TEXTS)).toEqual([]);
      expect(await page.evaluate(BROKEN_WORDS)).toEqual([]);
      expect(await page.evaluate(WIDE_TABLES)).toEqual([]);
      if (viewport === PHONE) expect(await page.evaluate(UNLABELLED)).toEqual([]);
      await page.evaluate(this.#axe);
      const found = (await page.evaluate('axe.run()')) as {
        readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
        readonly passes: readonly unknown[];
      };
      expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      expect(found.passes.length).toBeGreaterThan(15);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}
