import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXPOSURE_FORMATS, EXPOSURE_RENDERERS } from '../../../compiler/analysis/exposure/render/index.ts';
import type { Offers } from '../../support/gateway-rule.ts';
import { expectGolden } from '../../support/golden.ts';
import { ANONYMOUS, exposures, OFFERS, SPECS } from './sample.ts';

const PLAIN = { color: false };
const gatewaysOf = (offers: Offers | undefined) => ({ gateways: exposures(SPECS, offers), registries: [] });

test('lintel exposure prints a gateway with policies and an anonymous gateway as expected in every format', () => {
  const shown = { gateways: exposures(`${SPECS}---\n${ANONYMOUS}`, OFFERS), registries: [] };
  const texts = EXPOSURE_FORMATS.map(format => [`${format}.txt`, EXPOSURE_RENDERERS[format](shown, PLAIN)] as const);
  expectGolden(join(import.meta.dirname, 'goldens', 'everything'), new Map(texts));
});

test('lintel exposure prints a gateway as expected without a tool lock and with a partial tool lock', () => {
  const part = Object.fromEntries(Object.entries(OFFERS).filter(([key]) => key.endsWith('/github')));
  const texts = new Map([
    ['none.txt', EXPOSURE_RENDERERS.pretty(gatewaysOf(undefined), PLAIN)],
    ['part.txt', EXPOSURE_RENDERERS.pretty(gatewaysOf(part), PLAIN)],
  ]);
  expectGolden(join(import.meta.dirname, 'goldens', 'incomplete'), texts);
});

test('lintel exposure prints colors as expected on a terminal of 100 columns', () => {
  const text = EXPOSURE_RENDERERS.pretty(gatewaysOf(OFFERS), { color: true, width: 100 });
  expectGolden(join(import.meta.dirname, 'goldens', 'terminal'), new Map([['pretty.txt', text]]));
});

test.each([60, 80])(
  'lintel exposure on a terminal of %i columns prints no longer line, unless a single word is longer',
  width => {
    const text = EXPOSURE_RENDERERS.pretty(gatewaysOf(OFFERS), { color: false, width });
    const long = text.split('\n').filter(line => line.length > width && line.trim().includes(' '));
    expect(long.filter(line => !/^ *(?:[A-Z]+(?: [A-Z]+)* +)?\S+$/.test(line))).toEqual([]);
  },
);

test('lintel exposure escapes control characters on a terminal and HTML in Markdown', () => {
  const name = 'a\u001b[31m|<img src=x>@team';
  const offers = { 'default/MCPServerEntry/github': { tools: [{ name, inputSchema: { type: 'object' } }] } };
  const shown = gatewaysOf(offers);
  expect(EXPOSURE_RENDERERS.pretty(shown, PLAIN)).toContain('github_a\\u001b[31m|<img src=x>@team');
  const markdown = EXPOSURE_RENDERERS.markdown(shown, PLAIN);
  expect(markdown).toContain('github\\_a\\\\u001b\\[31m\\|&lt;img src=x&gt;@&#8203;team');
  expect(markdown).not.toContain('<img');
});
