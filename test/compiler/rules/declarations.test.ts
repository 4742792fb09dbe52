/** The comments of the rules, and the lists and the table that are generated from them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatCoverage } from '../../../compiler/rules/generate/coverage.ts';
import { readRule } from '../../../compiler/rules/generate/read-rule.ts';
import { formatRulesSource } from '../../../compiler/rules/generate/rules-source.ts';

const RULE = `/** A helper. */
const LIMIT = 3;

/**
 * Reports long names.
 *
 * @holds VirtualMCPServer | \`name\` | at most three letters, in all objects that
 *   have names | LNT3022
 * @holds Any field | - | names are short | LNT3022, LNT3023 | \`names/\`
 * @for gateways, servers
 * @reads sign-in, pods
 * @needs all backends
 */
export function longNames(gateway: GatewayModel): Diagnostic[] {
`;

test('readRule finds in the comment above a rule what the rule enforces, applies to, reads and needs', () => {
  expect(readRule('gateway/long-names.ts', RULE)).toEqual({
    file: 'gateway/long-names.ts',
    name: 'longNames',
    holds: [
      {
        section: 'VirtualMCPServer',
        field: '`name`',
        constraint: 'at most three letters, in all objects that have names',
        codes: 'LNT3022',
        tests: '',
      },
      { section: 'Any field', field: '-', constraint: 'names are short', codes: 'LNT3022, LNT3023', tests: '`names/`' },
    ],
    isForGateways: true,
    isForServers: true,
    reads: ['sign-in', 'pods'],
    needsAllBackends: true,
    isApart: false,
  });
});

test.each<[replaced: string, by: string, message: string]>([
  ['function longNames', 'function longName', 'expected an exported function longNames below a comment'],
  ['@needs all backends', '@need all backends', 'a rule of this folder has no tag @need, only @holds'],
  ['all backends', 'everything', '@needs everything: expected "all backends"'],
  ['gateways, servers', 'registries', '@for registries: expected gateways, servers or "gateways, servers"'],
  ['sign-in', 'signin', '@reads signin: expected one of sign-in, credentials, operation, pods'],
  ['names are short |', 'names are short', '"`names/`" is not a list of codes, such as LNT1012'],
  [' | - | names are short', '', 'expected section | field | constraint | codes'],
])('readRule refuses a comment with %j replaced by %j', (replaced, by, message) => {
  expect(() => readRule('gateway/long-names.ts', RULE.replace(replaced, by))).toThrow(message);
});

test('readRule refuses a rule that enforces no sentence, and a tag for gateways in another folder', () => {
  const without = RULE.replace(/ \* @holds[\s\S]*(?= \* @for)/, '');
  expect(() => readRule('gateway/long-names.ts', without)).toThrow('its comment needs a line @holds');
  expect(() => readRule('long-names.ts', RULE)).toThrow('a rule of this folder has no tag @for');
});

const ELSEWHERE = `# Which

## Any field

| Constraint | Where | Test |
| --- | --- | --- |
| names are text | schema | |

## VirtualMCPServer

| Field | Constraint | Where | Test |
| --- | --- | --- | --- |
| \`name\` | required | schema | |
| \`name\` | at most three letters, in all objects that have names | schema \`maxLength\` | \`structural-check/\` |
| \`other\` | required | schema | |
`;

test('formatCoverage adds the sentences of rules to the tables, merges equal rows, and refuses an unknown section', () => {
  const text = formatCoverage(ELSEWHERE, [readRule('gateway/long-names.ts', RULE)], name => name.startsWith('rules/'));
  expect(text.split('\n').filter(line => line.includes('long-names'))).toEqual([
    '| names are short | `gateway/long-names.ts` LNT3022, LNT3023 | `rules/gateway/long-names`, `names/` |',
    '| `name` | at most three letters, in all objects that have names | schema `maxLength`; `gateway/long-names.ts` LNT3022 | `structural-check/`, `rules/gateway/long-names` |',
  ]);
  expect(text.split('\n')).toHaveLength(ELSEWHERE.split('\n').length + 3);
  const moved = RULE.replace('Any field', 'Any object');
  expect(() => formatCoverage(ELSEWHERE, [readRule('gateway/long-names.ts', moved)], () => true)).toThrow(
    'compiler/rules/gateway/long-names.ts: elsewhere.md has no section "Any object"',
  );
});

test('formatRulesSource puts a rule into the lists that its comment asks for, and into none with @apart', () => {
  const rule = readRule('gateway/long-names.ts', RULE);
  const apart = readRule('gateway/long-names.ts', RULE.replace('@for', '@apart It looks at all gateways.\n * @for'));
  expect(formatRulesSource([rule])).toContain("import { longNames } from '../gateway/long-names.ts';\n");
  expect(formatRulesSource([rule])).toContain("  [longNames, ['sign-in', 'pods']],\n");
  expect(formatRulesSource([rule]).match(/^ {2}longNames,$/gm)).toHaveLength(3);
  expect(formatRulesSource([apart])).not.toContain('longNames');
});

test('each file in the folders of rules has a rule that enforces a sentence, except for four known files', () => {
  const others = ['areas.ts', 'index.ts', 'rule.ts', 'run-rules.ts'];
  for (const folder of ['', 'gateway/', 'registry/']) {
    const files = readdirSync(`compiler/rules/${folder}`).filter(
      file => file.endsWith('.ts') && !others.includes(file),
    );
    for (const file of files) {
      expect(readRule(folder + file, readFileSync(`compiler/rules/${folder}${file}`, 'utf8')).holds).not.toEqual([]);
    }
  }
  expect(existsSync('compiler/rules/generated/rules.ts')).toBe(true);
});
