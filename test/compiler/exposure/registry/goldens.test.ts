import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXPOSURE_FORMATS, EXPOSURE_RENDERERS } from '../../../../compiler/analysis/exposure/render/index.ts';
import { expectGolden } from '../../../support/golden.ts';
import { exposures, OFFERS, SPECS } from '../sample.ts';
import { ANONYMOUS, AUTHENTICATED, compileExposure, EVERYTHING } from './sample.ts';

const PLAIN = { color: false };
const GOLDENS = join(import.meta.dirname, 'goldens');

test('lintel exposure prints a registry server as expected in every format', () => {
  const report = { gateways: [], registries: [compileExposure(EVERYTHING)] };
  const texts = EXPOSURE_FORMATS.map(format => [`${format}.txt`, EXPOSURE_RENDERERS[format](report, PLAIN)] as const);
  expectGolden(join(GOLDENS, 'everything'), new Map(texts));
});

test.each([
  ['authenticated', AUTHENTICATED],
  ['anonymous', ANONYMOUS],
])('lintel exposure prints a registry server without authorization as expected: %s', (name, text) => {
  const report = { gateways: [], registries: [compileExposure(text)] };
  expectGolden(join(GOLDENS, name), new Map([['pretty.txt', EXPOSURE_RENDERERS.pretty(report, PLAIN)]]));
});

test('lintel exposure prints a gateway and a registry server as expected on a terminal with colors', () => {
  const report = { gateways: exposures(SPECS, OFFERS), registries: [compileExposure(EVERYTHING)] };
  const text = EXPOSURE_RENDERERS.pretty(report, { color: true, width: 100 });
  expectGolden(join(GOLDENS, 'terminal'), new Map([['pretty.txt', text]]));
});

test('lintel exposure of a registry server escapes control characters on a terminal and HTML in Markdown', () => {
  const text = EVERYTHING.replaceAll('odd claim', '\\u001b[31m<img src=x>@team');
  const report = { gateways: [], registries: [compileExposure(text)] };
  expect(EXPOSURE_RENDERERS.pretty(report, PLAIN)).not.toContain('\u001b');
  const markdown = EXPOSURE_RENDERERS.markdown(report, PLAIN);
  expect(markdown).toContain('&lt;img src=x&gt;@&#8203;team');
  for (const one of ['<img', '\u001b']) expect(markdown).not.toContain(one);
});

test('lintel exposure of a registry server shows no secret of a URL', () => {
  const report = { gateways: [], registries: [compileExposure(EVERYTHING)] };
  for (const format of EXPOSURE_FORMATS)
    expect(EXPOSURE_RENDERERS[format](report, PLAIN)).not.toMatch(/[?&]\w+=secret/);
});
