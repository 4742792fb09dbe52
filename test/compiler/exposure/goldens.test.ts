import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXPOSURE_FORMATS, EXPOSURE_RENDERERS } from '../../../compiler/analysis/exposure/render/index.ts';
import type { Offers } from '../../support/gateway-rule.ts';
import { expectGolden } from '../../support/golden.ts';
import { ANONYMOUS, exposures, OFFERS, SPECS } from './sample.ts';

const PLAIN = { color: false };
const gatewaysOf = (offers: Offers | undefined) => ({ gateways: exposures(SPECS, offers), registries: [] });

test('a gateway with a bit of everything, and one for anonymous callers, in every format', () => {
  const shown = { gateways: exposures(`${SPECS}---\n${ANONYMOUS}`, OFFERS), registries: [] };
  const texts = EXPOSURE_FORMATS.map(format => [`${format}.txt`, EXPOSURE_RENDERERS[format](shown, PLAIN)] as const);
  expectGolden(join(import.meta.dirname, 'goldens', 'everything'), new Map(texts));
});

test('what is said without a tool lock, and with one that knows a part', () => {
  const part = Object.fromEntries(Object.entries(OFFERS).filter(([key]) => key.endsWith('/github')));
  const texts = new Map([
    ['none.txt', EXPOSURE_RENDERERS.pretty(gatewaysOf(undefined), PLAIN)],
    ['part.txt', EXPOSURE_RENDERERS.pretty(gatewaysOf(part), PLAIN)],
  ]);
  expectGolden(join(import.meta.dirname, 'goldens', 'incomplete'), texts);
});

test('a terminal of 100 columns, with colors', () => {
  const text = EXPOSURE_RENDERERS.pretty(gatewaysOf(OFFERS), { color: true, width: 100 });
  expectGolden(join(import.meta.dirname, 'goldens', 'terminal'), new Map([['pretty.txt', text]]));
});

test.each([60, 80])('a terminal of %i columns: no line is longer, unless a single word is', width => {
  const text = EXPOSURE_RENDERERS.pretty(gatewaysOf(OFFERS), { color: false, width });
  const long = text.split('\n').filter(line => line.length > width && line.trim().includes(' '));
  expect(long.filter(line => !/^ *(?:[A-Z]+(?: [A-Z]+)* +)?\S+$/.test(line))).toEqual([]);
});

test('text from specs and backends moves no cursor and opens no tag', () => {
  const name = 'a\u001b[31m|<img src=x>@team';
  const offers = { 'default/MCPServerEntry/github': { tools: [{ name, inputSchema: { type: 'object' } }] } };
  const shown = gatewaysOf(offers);
  expect(EXPOSURE_RENDERERS.pretty(shown, PLAIN)).toContain('github_a\\u001b[31m|<img src=x>@team');
  const markdown = EXPOSURE_RENDERERS.markdown(shown, PLAIN);
  expect(markdown).toContain('github\\_a\\\\u001b\\[31m\\|&lt;img src=x&gt;@&#8203;team');
  expect(markdown).not.toContain('<img');
});
