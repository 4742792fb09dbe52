/** For each code about the form of a text, the advice of the code has an example text, and this text corrects the code's bad example. */
import { describe, expect, test } from 'vitest';
import { CODES, compile, type DiagnosticCode, readTexts } from '#compiler';
import { parseProfile } from '../../../compiler/lint/index.ts';
import { exampleSources, findSpec } from '../../support/code-examples.ts';

/** Rows of: the code, the error in its bad example, and the text that its help shows. */
const FORMS: readonly (readonly [code: DiagnosticCode, wrong: string, example: string])[] = [
  ['LNT1019', 'Eng_Tools', 'eng-tools'],
  [
    'LNT1031',
    '# lintel-ignore LNT1006',
    '# lintel-ignore LNT1006: upgraded in spring (owner: @platform, expires: 2099-05-31)',
  ],
  ['LNT1045', '"admins" in claim.groups', '"admins" in claims.groups'],
  ['LNT1047', 'create issue', 'search_notes'],
  ['LNT1062', 'ssh://git.example.com/team/gateways.git', 'https://git.example.com/team/gateways.git'],
  ['LNT1062', 'ssh://git.example.com/team/gateways.git', 'ssh://git@git.example.com/team/gateways.git'],
  ['LNT1063', 'the newest', '>=1.2.0 <2.0.0'],
  ['LNT4019', 'authed_user..id', 'authed_user.id'],
  [
    'LNT5001',
    'permit(principal, action, resource) when { resource.name = "github_search" };',
    'permit(principal in Group::"eng", action, resource);',
  ],
  ['LNT5014', '[{"caller":"anonymous","reach":0}]', '[{"caller": "anonymous", "cannotReach": ["notes_write"]}]'],
  ['LNT6011', 'https://me:password@jira.example.com/mcp', 'https://mcp.example.com/mcp'],
  ['LNT6013', 'X Tenant', 'X-Team'],
  ['LNT7004', '{{ .params.repo }', '{{ .params.team }}'],
  ['LNT7013', 'github/list_issues', 'github.search'],
  ['LNT7014', 'itemVar: index', 'issue'],
  ['LNT7016', '{ properties: { repo: { type: string } } }', '{ type: object, properties: { team: { type: string } } }'],
  ['LNT7017', '{ type: integer, description: How many }', '{ type: string, value: "{{ .steps.find.output.title }}" }'],
  ['LNT7020', '{ type: text }', '{ type: string, maxLength: 80 }'],
  ['LNT7029', "collection: '{{ .params.issues }}'", '{{ json .params.items }}'],
  ['LNT8009', '{team: platform}', '{"team": ["platform"]}'],
  ['LNT8018', 'io.github.{a,b}/*', 'io.github.acme/*'],
];

/** Keys before the wrong value, for examples in which the same value also occurs elsewhere. */
const KEYS = /^(itemVar: |collection: )?/;

/** Codes with a similar name, each with the reason why it is not about the form of a text. */
const NO_TEXT: { readonly [code: string]: string } = {
  LNT1001: 'about a file that is no YAML at any place',
  LNT1014: 'about formats of the schemas, whose words and examples forms.test.ts has',
  LNT1046: 'about the fields of a pod, whose words and examples forms.test.ts has',
  LNT1071: 'about a program',
  LNT1086: 'about a program',
  LNT2011: 'about certificates, of which an example is of no use',
  LNT3023: 'about a name that is made of others',
  LNT3026: 'about what a backend offers',
  LNT4018: 'about a key: the help has the command that makes one',
  LNT4020: 'about which of several URIs are listed',
  LNT7024: 'about the types of fields, which it lists',
  LNT8022: 'about entries, whose schema is a public one',
};

const SOUNDS_LIKE_IT = /invalid|malformed|unusable|syntax|impossible|unusual/;

describe.each(FORMS)('%s', (code, wrong, example) => {
  const { fix } = CODES[code];
  const bad = findSpec(CODES[code].bad) ?? '';

  test(`the fix of ${code} shows the example ${example}`, () => {
    expect(fix).toContain(example);
  });

  test(`the bad example of ${code} has no finding with ${example} instead of ${wrong}`, () => {
    expect(bad).toContain(wrong);
    expect(codesIn(bad)).toContain(code);
    const [keys = ''] = KEYS.exec(wrong) ?? [];
    const value = keys === '' ? example : `'${example}'`;
    expect(codesIn(bad.replace(wrong, () => `${keys}${value}`))).not.toContain(code);
  });
});

test('this test covers every code about an invalid form, or says why not', () => {
  const codes = Object.entries(CODES).filter(([, { name }]) => SOUNDS_LIKE_IT.test(name));
  const known = new Set([...FORMS.map(([code]) => code as string), ...Object.keys(NO_TEXT)]);
  expect(codes.map(([code]) => code).filter(code => !known.has(code))).toEqual([]);
});

test('the fix of LNT1036 shows a pinned version of a profile', () => {
  expect(CODES.LNT1036.fix).toContain('`recommended@2026.1`');
  expect(parseProfile('recommended@2026.1')).toMatchObject({ isPinned: true });
});

function codesIn(text: string): readonly string[] {
  const { findings } = compile(readTexts(exampleSources(text)), {
    purpose: 'check',
    origin: { compilerVersion: 'test', sourceRevision: null },
  });
  return findings.all.map(({ code }) => code);
}
