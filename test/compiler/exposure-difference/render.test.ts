import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diffExposures, type ExposureDifference, renderDifferenceMarkdown } from '#compiler';
import {
  DIFFERENCE_FORMATS,
  DIFFERENCE_RENDERERS,
} from '../../../compiler/analysis/exposure/difference/render/index.ts';
import { expectGolden } from '../../support/golden.ts';
import { EVERYTHING, ANONYMOUS as OPEN_REGISTRY, compileExposure as registryOf } from '../exposure/registry/sample.ts';
import { ANONYMOUS, exposures, OFFERS, SPECS } from '../exposure/sample.ts';

const PLAIN = { color: false };
const GOLDENS = join(import.meta.dirname, 'goldens');

const AFTER = SPECS.replace('permit(principal in Group::"contractors", action,', 'permit(principal, action,')
  .replace('name: open_issue', 'name: new_issue')
  .replace('https://github.example.com/mcp', 'https://github.example.net/mcp')
  .replace('X-Pg-Key', 'X-Database-Key');

function everything(): readonly ExposureDifference[] {
  return diffExposures(
    [...exposures(SPECS, OFFERS), registryOf(EVERYTHING)],
    [...exposures(`${AFTER}---\n${ANONYMOUS}`, OFFERS), registryOf(OPEN_REGISTRY)],
  );
}

test('lintel diff prints a changed gateway, a new anonymous gateway and a registry server as expected in every format', () => {
  const texts = DIFFERENCE_FORMATS.map(
    format => [`${format}.txt`, DIFFERENCE_RENDERERS[format](everything(), PLAIN)] as const,
  );
  expectGolden(join(GOLDENS, 'everything'), new Map(texts));
});

test('lintel diff has colors on a terminal', () => {
  const text = DIFFERENCE_RENDERERS.pretty(diffExposures(exposures(SPECS, OFFERS), exposures(AFTER, OFFERS)), {
    color: true,
  });
  expectGolden(join(GOLDENS, 'terminal'), new Map([['pretty.txt', text]]));
});

test('lintel diff says that there is no difference between equal exposure files', () => {
  const same = diffExposures(exposures(SPECS, OFFERS), exposures(SPECS, OFFERS));
  expect(DIFFERENCE_RENDERERS.pretty(same, PLAIN)).toBe('no difference in 1 gateway or registry server\n');
  expect(DIFFERENCE_RENDERERS.markdown(same, PLAIN)).toBe('**No difference in 1 gateway or registry server**\n');
});

test('lintel diff lists the changes with alarms before the changes without alarms, changes of authentication first', () => {
  const markdown = renderDifferenceMarkdown(everything(), PLAIN);
  const looks = /#### Look at these first\n\n[\s\S]*?\n\n/.exec(markdown)?.[0] ?? '';
  expect(markdown.indexOf(looks)).toBeLessThan(markdown.indexOf('#### default/eng'));
  const whys = [...looks.matchAll(/\| ([^|]*) \|\n/g)].map(([, why]) => why);
  // Changes of authentication come before those of permissions.
  const isDoor = (why = '') => why.includes('<br>gets in: ');
  const doors = whys.slice(1).findIndex(why => !isDoor(why));
  expect(doors).toBeGreaterThan(0);
  expect(whys.slice(1 + doors).some(isDoor)).toBe(false);
  expect(whys[1 + doors]).toBe('reachable without a token now, may destroy');
  expect(whys.at(-1)).toBe('without annotations');
});

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '@everyone',
  '[x](javascript:alert(1))',
  '![](https://evil.example/x.png)',
  'a|b',
  '`code` **bold** #1 !2 ~~3~~ $x$',
  'https://evil.example www.evil.example',
  'line\nbreak\r\n| x |',
  '<!-- lintel -->',
  '\u202egnp.exe \u001b[31m',
];

describe('names of backends in a comment', () => {
  test.each(HOSTILE)('a pull request comment of lintel diff escapes the tool name %j', name => {
    const offers = { 'default/MCPServerEntry/github': { tools: [{ name, inputSchema: { type: 'object' } }] } };
    const found = diffExposures([], exposures(SPECS, offers));
    const markdown = renderDifferenceMarkdown(found, PLAIN);
    expect(markdown).not.toMatch(/<(?!br>)/);
    expect(markdown).not.toMatch(/@(?!&#8203;)\w/);
    expect(markdown).not.toMatch(/(?<!\\)\]\(/);
    expect(markdown).not.toMatch(/https:\/\/evil|www\.evil/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect(markdown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    // Every row has as many cells as the head: no name contains a separator.
    for (const table of markdown.split('\n\n').filter(part => part.startsWith('|'))) {
      const cells = table
        .trim()
        .split('\n')
        .map(row => row.match(/(?<!\\)\|/g)?.length);
      expect(new Set(cells).size).toBe(1);
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect(DIFFERENCE_RENDERERS.pretty(found, PLAIN)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});

test('lintel diff says how many names it leaves out of a long list in a table cell', () => {
  const names = Array.from({ length: 30 }, (_, at) => `tool_${at}_${'x'.repeat(60)}`);
  const tools = names.map(name => ({ name, inputSchema: { type: 'object' } }));
  const found = diffExposures([], exposures(SPECS, { 'default/MCPServerEntry/github': { tools } }));
  const rows = renderDifferenceMarkdown(found, PLAIN).split('\n');
  const cells = rows
    .flatMap(row => row.split(' | '))
    .filter(cell => / and \d+ more( \||$)/.test(cell) && !cell.includes('**'));
  expect(cells.length).toBeGreaterThan(0);
  for (const cell of cells) {
    expect(cell).not.toContain('…');
    const more = Number(/ and (\d+) more/.exec(cell)?.[1]);
    expect(cell.split(', ').length + more).toBeGreaterThanOrEqual(names.length);
  }
});

describe('the size limit of a comment', () => {
  const tools = Array.from({ length: 3000 }, (_, at) => ({
    name: `tool_${at}`,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: at % 3 !== 0 },
  }));
  const found = diffExposures([], exposures(SPECS, { 'default/MCPServerEntry/github': { tools } }));

  test.each([60_000, 10_000, 1000, 300])(
    'a pull request comment of lintel diff has at most %d characters, and counts the rows that it leaves out',
    maxCharacters => {
      const markdown = renderDifferenceMarkdown(found, { ...PLAIN, maxCharacters });
      expect(markdown.length).toBeLessThanOrEqual(maxCharacters);
      const all = renderDifferenceMarkdown(found, { ...PLAIN, maxCharacters: 10_000_000 });
      const rows = (text: string) => text.split('\n').filter(line => /^\| (?!---)/.test(line)).length;
      const heads = (text: string) => text.match(/^\|---/gm)?.length ?? 0;
      const left = Number(/… and (\d+) more rows?/.exec(markdown)?.[1] ?? Number.NaN);
      expect(rows(markdown) - heads(markdown) + left).toBe(rows(all) - heads(all));
      expect(all).not.toContain('more rows');
    },
  );
});
