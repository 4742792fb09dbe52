/** What a long-running compiler does not compute again. */
import { expect, test } from 'vitest';
import { type Compiler, createCompiler } from '#compiler';
import { type Compilation, SourceText } from '../../../compiler/index.ts';
import { FILES, type Files } from './edits.ts';

const served: Files = new Map([...FILES].filter(([file]) => /^(one|two|three)\//.test(file)));

function compiled(compiler: Compiler, files: Files, sourceRevision: string | null = null): Compilation {
  const sources = compiler.readTexts([...files].map(([file, text]) => new SourceText(file, text)));
  return compiler.compile(sources, { purpose: 'build', origin: { compilerVersion: '0.0.0', sourceRevision } });
}

const bundlesOf = ({ gateways }: Compilation) =>
  Object.fromEntries(gateways.map(({ object, bundle }) => [object.namespace, bundle]));

function edited(file: string, from: string, to: string): Files {
  const text = served.get(file) ?? '';
  expect(text).toContain(from);
  return new Map(served).set(file, text.replace(from, to));
}

test('an incremental compilation without a change returns the same object', () => {
  const compiler = createCompiler();
  expect(compiled(compiler, served)).toBe(compiled(compiler, served));
});

/** Which gateways are lowered again. */
const cases: readonly [name: string, files: Files, lowered: readonly string[]][] = [
  ['a changed member of a group', edited('one/wiki.yaml', 'wiki.example', 'docs.example'), ['one']],
  ["a changed object to which a backend's settings refer", edited('two/fewer.yaml', 'create', 'delete'), ['two']],
  [
    'a changed object to which a member refers',
    edited('three/ca.yaml', '-----END CERTIFICATE-----\\n', '-----END CERTIFICATE-----\\n\\n'),
    ['three'],
  ],
  ['a comment in the file of a gateway', edited('one/gateway.yaml', 'spec:', '# moved down\nspec:'), ['one']],
  ['a removed member', new Map([...served].filter(([file]) => file !== 'two/wiki.yaml')), ['two']],
  ['a changed file that concerns no gateway', new Map(served).set('notes.yaml', 'a: 1\n'), []],
];

test.each(cases)(
  'an incremental compilation builds again only the gateways that a change concerns: %s',
  (_, files, lowered) => {
    const compiler = createCompiler();
    const before = bundlesOf(compiled(compiler, served));
    const after = bundlesOf(compiled(compiler, files));
    expect(Object.values(before)).not.toContain(null);
    expect(Object.keys(after).filter(name => after[name] !== before[name])).toEqual(lowered);
  },
);

test('an incremental compilation writes a new source revision into every bundle', () => {
  const compiler = createCompiler();
  compiled(compiler, served, 'r1');
  const revisions = compiled(compiler, served, 'r2').gateways.map(({ bundle }) => bundle?.origin.sourceRevision);
  expect(revisions).toEqual(['r2', 'r2', 'r2']);
});

test('an incremental compilation updates a finding about two gateways without building the unchanged gateway again', () => {
  const tenants: Files = new Map([...FILES].filter(([file]) => file.startsWith('tenants/')));
  const shared = ({ findings }: Compilation) =>
    findings.diagnostics.flatMap(({ code, message }) => (code === 'LNT6018' ? message : []));
  const moved = (name: string, files: Files) =>
    new Map(files).set(
      `tenants/${name}.yaml`,
      (files.get(`tenants/${name}.yaml`) ?? '').replace(`//${name}.`, '//red.'),
    );
  const compiler = createCompiler();
  const before = compiled(compiler, tenants);
  expect(shared(before)).toEqual([expect.stringContaining('to green.example.com by VirtualMCPServer "green"')]);
  const one = compiled(compiler, moved('green', tenants));
  expect(shared(one)).toEqual([expect.stringContaining('to red.example.com by VirtualMCPServer "green"')]);
  expect(
    one.gateways.filter(({ bundle }, at) => bundle !== before.gateways[at]?.bundle).map(({ object }) => object.name),
  ).toEqual(['green']);
  expect(shared(compiled(compiler, moved('blue', moved('green', tenants))))).toEqual([]);
});
