import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey, type GatewaySettings } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

interface Case extends Pick<GatewaySettings, 'clients'> {
  readonly config?: string;
  readonly tools?: readonly string[];
}

function said({ config = '{}', tools = [], clients }: Case): string[] {
  const offers = { [formatBackendKey('a')]: { tools } };
  const objects = [gatewayConfig(config), entries('a')];
  return ['nameLengths', 'nameCharacters']
    .flatMap(rule => findings(rule, objects, offers, { clients }))
    .map(
      ({ code, severity, range, message, fix }) =>
        `${code} ${severity} ${range.start.line}:${range.start.column} ${message} | ${fix ?? ''}`,
    );
}

const name = (length: number) => 'word_'.repeat(30).slice(0, length);
// Claude Code: mcp__it__a_<name>
const FITS = 64 - 'mcp__it__a_'.length;

test.each<[string, Case, string[]]>([
  ['a tool name at the limit of the client', { tools: [name(FITS)] }, []],
  [
    'a tool name above the limit of the client',
    { tools: [name(FITS + 1)] },
    [
      `LNT3022 warning 7:3 Claude Code accepts names of at most 64 characters, and "a_${name(FITS + 1)}" is longer: "mcp__it__a_${name(FITS + 1)}" has 65 | rename it in aggregation.tools: { workload: a, overrides: { "${name(FITS + 1)}": { name: ${name(49)} } } }`,
    ],
  ],
  [
    'several tools of one backend in one finding',
    {
      tools: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(letter => letter + name(FITS)),
      config: '{ aggregation: { tools: [{ workload: a }] } }',
    },
    [
      `LNT3022 warning 7:36 Claude Code accepts names of at most 64 characters, and ${['a', 'b', 'c', 'd', 'e'].map(letter => `"a_${letter}${name(FITS)}"`).join(', ')} and 2 more are longer: "mcp__it__a_a${name(FITS)}" has 65 | rename it in aggregation.tools: { workload: a, overrides: { "a${name(FITS)}": { name: a${name(49)} } } }`,
    ],
  ],
  ['a hidden tool', { tools: [name(99)], config: '{ aggregation: { excludeAllTools: true } }' }, []],
  ['tools behind the optimizer', { tools: [name(99), 'a b'], config: '{ optimizer: {} }' }, []],
  [
    'a prefix that leaves no room for tool names',
    { tools: ['x'], config: `{ aggregation: { conflictResolutionConfig: { prefixFormat: ${name(60)} } } }` },
    [
      `LNT3022 warning 7:13 Claude Code accepts names of at most 64 characters, and "${name(60)}x" is longer: "mcp__it__${name(60)}x" has 70 | `,
    ],
  ],
  ['a client with a higher limit', { tools: [name(FITS + 1)], clients: ['vscode'] }, []],
  [
    'the limit of Cursor',
    { tools: [name(56)], clients: ['cursor'] },
    [
      `LNT3022 warning 7:3 Cursor accepts names of at most 59 characters, and "a_${name(56)}" is longer: "ita_${name(56)}" has 60 | rename it in aggregation.tools: { workload: a, overrides: { "${name(56)}": { name: ${name(54)} } } }`,
    ],
  ],
  [
    'the name of a workflow',
    { config: `{ compositeTools: [{ name: ${name(60)}, steps: [{ id: s, tool: a.x }] }] }`, tools: ['x'] },
    [
      `LNT3022 warning 7:38 Claude Code accepts names of at most 64 characters, and "${name(60)}" is longer: "mcp__it__${name(60)}" has 69 | name it "${name(54)}"`,
    ],
  ],
  ['a dot, which MCP allows', { tools: ['a.b'] }, []],
  [
    'a dot, which Claude Desktop refuses',
    { tools: ['x', 'a.b'], clients: ['claude-desktop'] },
    [
      'LNT3023 warning 7:3 Claude Desktop accepts names that match ^[A-Za-z0-9_-]+$, and "a_a.b" does not | rename it in aggregation.tools: { workload: a, overrides: { "a.b": { name: a_b } } }',
    ],
  ],
  [
    'a colon and a slash',
    { tools: ['a:b', 'c/d'] },
    [
      'LNT3023 warning 7:3 MCP accepts names that match ^[A-Za-z0-9_.-]+$, and "a_a:b" and "a_c/d" do not | rename it in aggregation.tools: { workload: a, overrides: { "a:b": { name: a_b } } }',
    ],
  ],
  [
    'invalid names in overrides, which another rule reports',
    {
      tools: ['x'],
      config:
        '{ aggregation: { tools: [{ workload: a, overrides: { x: { name: a b } } }] }, compositeTools: [{ name: c d, steps: [{ id: s, tool: a.x }] }] }',
      clients: ['claude-desktop'],
    },
    [],
  ],
  [
    'a prefix with a colon',
    { tools: ['x'], config: '{ aggregation: { conflictResolutionConfig: { prefixFormat: "{workload}:" } } }' },
    ['LNT3023 warning 7:13 MCP accepts names that match ^[A-Za-z0-9_.-]+$, and "a:x" does not | '],
  ],
])('the rule clientNames gives the expected findings for %s', (_, given, expected) => {
  expect(said(given)).toEqual(expected);
});
