/**
 * The pages of `lintel exposure` and `lintel diff` in a browser: they satisfy their own Content-Security-Policy, and can be used without a
 * mouse.
 */
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { diffExposures } from '#compiler';
import { renderDifferenceHtml } from '../../../compiler/analysis/exposure/difference/render/html.ts';
import { renderHtml } from '../../../compiler/analysis/exposure/render/html.ts';
import { LOOKS, PageBrowser, WIDE } from '../../support/browser-page.ts';
import { withPeers } from '../../support/peers.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { EVERYTHING, compileExposure as registryOf } from '../exposure/registry/sample.ts';
import { ANONYMOUS, exposures, OFFERS, SPECS } from '../exposure/sample.ts';

const PLAIN = { color: false };
const AFTER = SPECS.replace('permit(principal in Group::"contractors", action,', 'permit(principal, action,');
const PAGES = {
  exposure: () =>
    renderHtml(
      { gateways: exposures(`${SPECS}---\n${ANONYMOUS}`, OFFERS), registries: [registryOf(EVERYTHING)] },
      PLAIN,
    ),
  difference: () =>
    renderDifferenceHtml(
      diffExposures(exposures(SPECS, OFFERS), exposures(`${AFTER}---\n${ANONYMOUS}`, OFFERS)),
      PLAIN,
    ),
  'long-names': () => renderHtml({ gateways: exposures(SPECS, OFFERS).map(withLongNames), registries: [] }, PLAIN),
};

type Exposure = ReturnType<typeof exposures>[number];

/** The exposure with tool names as long as the prefix of the longest possible backend name makes them. */
function withLongNames(exposure: Exposure): Exposure {
  const long = (name: string) => `${'customer-relationship-management-'.repeat(2)}_${name}_of_the_whole_organization`;
  const { backends, tools } = exposure;
  return {
    ...exposure,
    backends: backends.map(backend => ({ ...backend, name: long(backend.name) })),
    tools: tools.map(tool => ({
      ...tool,
      name: long(tool.name),
      backend: long(tool.backend),
      originalName: long(tool.originalName),
    })),
  };
}

/** For each visible graph: by how many pixels it is wider than its frame, and the scale at which it is shown. */
const SHOWN_GRAPHS = `[...document.querySelectorAll('svg')]
  .filter(graph => graph.getBoundingClientRect().width > 0)
  .map(graph => ({
    overflow: graph.parentElement.scrollWidth - graph.parentElement.clientWidth,
    scale: graph.getBoundingClientRect().width / graph.viewBox.baseVal.width,
  }))`;

test('the exposure page has no graph for a gateway that offers nothing', () => {
  const [exposure] = exposures(SPECS, OFFERS);
  if (exposure === undefined) throw new Error('the sample has a gateway');
  const nothing = { ...exposure, tools: [], composites: [], backends: [] };
  const page = (gateways: readonly (typeof exposure)[]) => renderHtml({ gateways, registries: [] }, PLAIN);
  expect(page([nothing])).not.toMatch(/<svg|From callers/);
  expect(page(exposures(SPECS, OFFERS))).toMatch(/<h3>From callers to credentials<\/h3>\n.*\n<svg/);
});

test('the exposure page explains the colors and dashes of its graph, and only those that the graph has', () => {
  const page = (gateways: ReturnType<typeof exposures>) => renderHtml({ gateways, registries: [] }, PLAIN);
  const marked = page(exposures(SPECS, OFFERS));
  for (const mark of ['Orange box: ', 'Orange line: ', 'Dashed: ']) expect(marked).toContain(mark);
  const plain = exposures(SPECS, OFFERS).map(exposure => ({
    ...exposure,
    composites: [],
    tools: exposure.tools
      .filter(({ hints }) => hints.readOnlyHint?.value === true)
      .map(tool => ({ ...tool, through: [], visibility: 'advertised' as const })),
  }));
  expect(page(plain)).toContain('<svg');
  expect(page(plain)).not.toMatch(/Orange box: |Orange line: |Dashed: /);
});

test('the page of lintel diff marks each row about a change by which callers gain access, and no row about a change by which they only lose access', () => {
  const [narrow, wide] = [SPECS, AFTER].map(specs => exposures(specs, OFFERS)) as [
    ReturnType<typeof exposures>,
    ReturnType<typeof exposures>,
  ];
  const markedIn = (page: string, id: string) => {
    const [, body = ''] = new RegExp(`id="${id}"[\\s\\S]*?<tbody>\\n([\\s\\S]*?)</tbody>`).exec(page) ?? [];
    return [...body.matchAll(/<tr( class="mark")?>/g)].map(([, mark]) => mark !== undefined);
  };
  const opens = renderDifferenceHtml(diffExposures(narrow, wide), PLAIN);
  expect(markedIn(opens, 'opens').length).toBeGreaterThan(0);
  expect(new Set(markedIn(opens, 'opens'))).toEqual(new Set([true]));
  expect(markedIn(opens, 'callers-0')).toContain(true);
  expect(markedIn(opens, 'changes-0')).toContain(true);
  const closes = renderDifferenceHtml(diffExposures(wide, narrow), PLAIN);
  expect(markedIn(closes, 'changes-0').length).toBeGreaterThan(0);
  expect(closes).not.toContain('class="mark"');
});

test('the exposure page shows HTML and scripts in texts of specs and backends as text', () => {
  const hostile = '<img src=x onerror=alert(1)>"\'</script><script>alert(1)</script>\u202e';
  const [exposure] = exposures(SPECS, OFFERS);
  if (exposure === undefined) throw new Error('the sample has a gateway');
  const [tool] = exposure.tools;
  if (tool === undefined) throw new Error('the sample has a tool');
  const page = renderHtml(
    {
      gateways: [
        { ...exposure, name: hostile, tools: [{ ...tool, name: hostile, backend: hostile, originalName: hostile }] },
      ],
      registries: [],
    },
    PLAIN,
  );
  expect(page).not.toMatch(/<img|\u202e/);
  expect(page.match(/<script>/g)).toHaveLength(1);
});

withPeers('chromium', 'playwright-core', 'axe-core').describe('in Chromium', () => {
  let browser: PageBrowser;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    [browser, folder] = [await PageBrowser.launch(), await temporaryFolder()];
    await folder.write(Object.fromEntries(Object.entries(PAGES).map(([name, render]) => [`${name}.html`, render()])));
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const hrefOf = (name: string) => pathToFileURL(folder.file(`${name}.html`)).href;

  /** Loads the page without a network. */
  const onPage = (name: string, options: BrowserContextOptions, look: (page: Page) => Promise<void>) =>
    browser.onPage(hrefOf(name), { offline: true, ...options }, look);

  const rows = (page: Page) => page.locator('tbody tr:visible');

  test.each(Object.keys(PAGES).flatMap(name => LOOKS.map(look => [name, look] as const)))(
    'the exposure page %s at %o fits the window, and axe finds no problem',
    async (name, look) => {
      await browser.expectSound(hrefOf(name), name, look, { offline: true });
    },
  );

  test.each([360, 540, 768, 1024, 1280])(
    'the graph of the exposure page fits a window of %i pixels, and its letters can be read',
    async width => {
      await onPage('exposure', { viewport: { width, height: 900 } }, async page => {
        const shown = (await page.evaluate(SHOWN_GRAPHS)) as readonly { overflow: number; scale: number }[];
        expect(shown).toHaveLength(2);
        for (const { overflow, scale } of shown) {
          expect(overflow).toBeLessThanOrEqual(0);
          // Letters of 13 pixels stay at least 11 pixels tall.
          expect(scale).toBeGreaterThan(11 / 13);
        }
      });
    },
  );

  test('the search of the exposure page shows the rows that contain all words of the query, and the path of these rows in the graph', async () => {
    await onPage('exposure', { viewport: WIDE }, async page => {
      const all = await rows(page).count();
      // Uses the keyboard only: the search field has the first focus.
      await page.keyboard.press('Tab');
      await page.keyboard.type('cleanup DROP_table');
      expect(await rows(page).allTextContents()).toEqual([
        expect.stringContaining('cleanup_env → purge → pg_drop_table'),
      ]);
      expect(await page.locator('output').textContent()).toBe('1 row');
      await page.getByRole('searchbox').fill('pg_drop_table');
      const shown = await page.locator('svg').first().locator('g:not(.out) > text').allTextContents();
      expect(shown).toEqual(expect.arrayContaining(['cleanup_env', 'pg_drop_table', 'pg']));
      expect(shown).not.toContain('github');
      await page.getByRole('searchbox').fill('');
      expect(await rows(page).count()).toBe(all);
    });
  });

  test('a checkbox of the page of lintel diff hides all rows but those of the changes to look at first', async () => {
    await onPage('difference', { viewport: WIDE }, async page => {
      const all = await rows(page).count();
      expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe('Look at these first');
      await page.getByRole('checkbox').press('Space');
      const marked = await rows(page).count();
      expect(marked).toBeGreaterThan(0);
      expect(marked).toBeLessThan(all);
      expect(await page.locator('tbody tr.mark:visible').count()).toBe(marked);
    });
  });

  test('the exposure page wraps long names so that no table is wider than the window', async () => {
    await onPage('long-names', { viewport: WIDE, offline: true }, async page => {
      const widths = await page
        .locator('.scroll')
        .evaluateAll(boxes => boxes.map(box => box.scrollWidth - box.clientWidth));
      expect(widths.filter(more => more > 0)).toEqual([]);
    });
  });

  test('the exposure page shows all rows without JavaScript', async () => {
    await onPage('exposure', { javaScriptEnabled: false }, async page => {
      expect(await rows(page).count()).toBeGreaterThan(20);
    });
  });
});
