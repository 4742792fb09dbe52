/**
 * One error gives one finding: an unresolved reference, or an object with an error, causes no further finding that would disappear once the error is
 * corrected, such as "has no effect" next to the reference.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { compile, type Diagnostic, findReferences, readTexts, SourceText } from '#compiler';
import { KINDS } from '../../../compiler/source/kinds.ts';
import { BASE_SPECS } from '../mutated-specs/base-specs.ts';

type Json = Record<string, unknown>;

const GOLDENS = join(import.meta.dirname, '../goldens/cases');
const GOLDEN_TEXTS = readdirSync(GOLDENS).map(name => {
  const input = join(GOLDENS, name, 'input');
  const files = readdirSync(input).filter(file => file.endsWith('.yaml'));
  return { title: `goldens/${name}`, text: files.map(file => readFileSync(join(input, file), 'utf8')).join('\n---\n') };
});
const MUTATED = BASE_SPECS.filter(({ file, title }) => file.endsWith('.yaml') && title === file);

function objectsOf(text: string): readonly Json[] {
  return parseAllDocuments(text).flatMap(document => {
    const value = document.errors.length === 0 ? (document.toJS() as unknown) : undefined;
    return typeof value === 'object' && value !== null ? [value as Json] : [];
  });
}

/** Identifies a finding without its message, which may name the corrected value. */
const identityOf = ({ code, severity, object, pointer }: Diagnostic) =>
  `${code} ${severity} ${object?.kind}/${object?.name} ${pointer}`;

function findingsOf(objects: readonly Json[]): readonly string[] {
  const texts = objects.map((object, index) => new SourceText(`o${index}.json`, JSON.stringify(object)));
  const origin = { compilerVersion: 'test', sourceRevision: null };
  const { findings } = compile(readTexts(texts), { purpose: 'check', origin });
  return findings.all.map(identityOf);
}

/** Whether objects have errors: while one has, a finding about another object may be missing. */
function hasMistakes(objects: readonly Json[]): boolean {
  return findingsOf(objects).some(one => one.includes(' error ') && !one.startsWith('LNT1009'));
}

function changed(object: Json, path: readonly (string | number)[], value: unknown): Json {
  const copy = structuredClone(object);
  const holder = path.slice(0, -1).reduce<Json>((at, step) => at[step] as Json, copy);
  holder[path.at(-1) as string] = value;
  return copy;
}

interface Break {
  readonly title: string;
  readonly object: Json;
  readonly expected: RegExp;
}

function breaksOf(object: Json): readonly Break[] {
  const { kind, spec } = object as { kind: string; spec?: unknown };
  const schemas = KINDS.get(kind);
  if (schemas === undefined || typeof spec !== 'object' || spec === null) return [];
  const references = findReferences(kind, spec)
    .filter(({ kind: target }) => KINDS.has(target))
    .map(
      ({ path, name }): Break => ({
        title: `${path.join('.')} = ${name}`,
        object: changed(object, path, 'no-such-object'),
        expected: /^LNT2001 /,
      }),
    );
  const nonsense = {
    title: 'an unknown field',
    object: changed(object, ['spec', 'nonsense'], 1),
    expected: /^LNT1003 /,
  };
  return [...references, nonsense];
}

const TEXTS = [...MUTATED, ...GOLDEN_TEXTS].filter(({ text }) => !hasMistakes(objectsOf(text)));

/**
 * Whether a finding is about a gateway that names a workload with an unknown group. Such a gateway has an error of its own, whose help names the group,
 * because the error of the workload does not keep the gateway from being built.
 */
function isAboutStray({ title, object }: Break, found: string): boolean {
  return title.startsWith('spec.groupRef.name') && object.kind !== 'VirtualMCPServer' && found.startsWith('LNT3012');
}

test('at least 25 of the sample specs compile without errors before a mistake is put into them', () => {
  expect(TEXTS.length).toBeGreaterThanOrEqual(25);
});

test.each(TEXTS)(
  'lintel check reports a mistake put into $title without a misleading finding next to it',
  ({ text }) => {
    const objects = objectsOf(text);
    const before = new Set(findingsOf(objects));
    const told = objects.flatMap((object, index) =>
      breaksOf(object).flatMap(broken => {
        const after = findingsOf(objects.with(index, broken.object));
        const news = after.filter(one => !before.has(one) && !broken.expected.test(one) && !isAboutStray(broken, one));
        return news.map(one => `${(object as { kind: string }).kind}: ${broken.title}: ${one}`);
      }),
    );
    expect(told).toEqual([]);
  },
);

test('the help about a backend whose group does not exist names the group and where to correct it', () => {
  const texts = [
    { kind: 'MCPGroup', metadata: { name: 'tools' } },
    {
      kind: 'MCPServerEntry',
      metadata: { name: 'github' },
      spec: { groupRef: { name: 'toolz' }, remoteUrl: 'https://x.example.com/mcp', transport: 'streamable-http' },
    },
    {
      kind: 'VirtualMCPServer',
      metadata: { name: 'eng' },
      spec: {
        groupRef: { name: 'tools' },
        incomingAuth: { type: 'anonymous' },
        config: { aggregation: { tools: [{ workload: 'github' }] } },
      },
    },
  ].map((object, index) => {
    const text = JSON.stringify({ apiVersion: 'lintel.dev/v1beta1', ...object });
    return new SourceText(`o${index}.json`, text);
  });
  const origin = { compilerVersion: 'test', sourceRevision: null };
  const { findings } = compile(readTexts(texts), { purpose: 'check', origin });
  expect(findings.all.filter(({ severity }) => severity !== 'hint').map(({ code, fix }) => `${code}: ${fix}`)).toEqual([
    'LNT2001: did you mean "tools"?',
    'LNT3012: the group "toolz" of MCPServerEntry "github" does not exist: name "tools" there',
  ]);
});
