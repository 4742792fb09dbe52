/** Almost valid objects of every kind, and texts derived from real specs. */
import fc from 'fast-check';
import { parseAllDocuments, stringify } from 'yaml';
import { ACCEPTED_API_GROUPS, API_GROUP, DEPRECATED_VERSION, KINDS_FILE, STORAGE_VERSION } from '#schemas';
import { buildSample, listLeaves, withLeaf } from '../../support/sample.ts';
import { BASE_SPECS } from '../mutated-specs/base-specs.ts';
import { sample } from '../structural-check/sample.ts';
import { makeOdd, type Oddity, oddity, oddText } from './odd-values.ts';

export interface File {
  /** Its extension decides how the text is parsed. */
  readonly file: string;
  readonly text: string;
}

const KIND_NAMES = Object.keys(KINDS_FILE);
/** Only a few, so that objects refer to one another; `constructor` is a valid Kubernetes name. */
const NAMES = ['sample', 'tools', 'constructor', 'x'];

const apiVersion: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 12, arbitrary: fc.constant(`${API_GROUP}/${STORAGE_VERSION}`) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      `${API_GROUP}/${DEPRECATED_VERSION}`,
      ...ACCEPTED_API_GROUPS.map(group => `${group}/${STORAGE_VERSION}`),
      `${API_GROUP}/v9`,
      'apps/v1',
      'v1',
      7,
      null,
    ),
  },
);

const metadata: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ name: fc.constantFrom(...NAMES) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      name: fc.constantFrom(...NAMES),
      namespace: fc.constantFrom(...NAMES),
      labels: fc.dictionary(oddText, oddText, { maxKeys: 2 }),
      annotations: fc.dictionary(oddText, oddText, { maxKeys: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, [], {}, 'sample', { name: 7 }, { name: '__proto__' }) },
);

const kindSpec = fc.oneof(
  ...KIND_NAMES.map(kind => {
    const schema = KINDS_FILE[kind]?.spec ?? {};
    const leaves = listLeaves(schema).map(({ path }) => path);
    const some = leaves.length === 0 ? fc.constant([]) : fc.array(fc.constantFrom(...leaves), { maxLength: 6 });
    const near = some.map(paths =>
      paths.reduce((spec: unknown, path) => withLeaf(schema, spec, path), buildSample(schema)),
    );
    // Gateways are more frequent, because only they are lowered.
    const weight = kind === 'VirtualMCPServer' ? 6 : 1;
    const spec = fc.oneof({ weight: 3, arbitrary: near }, { weight: 1, arbitrary: sample(schema) });
    return { weight, arbitrary: fc.record({ kind: fc.constant<unknown>(kind), spec }) };
  }),
  { weight: 1, arbitrary: fc.record({ kind: oddText, spec: fc.constant<unknown>({}) }) },
);

const madeObject = fc
  .record({ apiVersion, kindSpec, metadata })
  .map(({ apiVersion: version, kindSpec: { kind, spec }, metadata: meta }) => ({
    apiVersion: version,
    kind,
    metadata: meta,
    spec,
  }));

/** The objects of the real specs, file by file, so that all their fields get as far as lowering. */
const REAL_FILES: readonly (readonly object[])[] = BASE_SPECS.map(({ text }) =>
  [parseAllDocuments(text)].flat().flatMap(document => {
    const value = document.toJS() as { kind?: unknown; items?: object[] };
    return value.kind === 'List' ? (value.items ?? []) : [value];
  }),
);

const objects: fc.Arbitrary<readonly object[]> = fc.oneof(
  fc.array(madeObject, { minLength: 1, maxLength: 3 }),
  fc.constantFrom(...REAL_FILES),
);

export type Style = 'json list' | 'json in yaml' | 'yaml';

/** Objects with odd values, written as a file. */
export function objectFile(style: Style): fc.Arbitrary<File> {
  const oddities = fc.array(oddity, { maxLength: 4 });
  return fc.record({ objects, oddities }).map(drawn => written(drawn.objects, drawn.oddities, style));
}

function written(drawn: readonly object[], oddities: readonly Oddity[], style: Style): File {
  const list = structuredClone({ apiVersion: 'v1', kind: 'List', items: [...drawn] });
  makeOdd(list.items, oddities);
  if (style === 'json list') return { file: 'a.json', text: JSON.stringify(list) };
  const texts = list.items.map(item => (style === 'yaml' ? stringify(item) : `${JSON.stringify(item)}\n`));
  return { file: 'a.yaml', text: texts.join('---\n').toWellFormed() };
}

const PIECES = [
  ...[
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    '  ',
    '\t',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '{',
    '}',
    '[',
    ']',
    ',',
    ': ',
    '- ',
    '? ',
  ],
  ...[
    '"',
    "'",
    '\\',
    '&x ',
    '*x',
    '<<: *x\n',
    '!t ',
    '!!binary ',
    '|\n',
    '>-\n ',
    ' # c',
    '@',
    '\u0085',
    '\ufeff',
    '\u0000',
  ],
  ...[
    '🎉',
    'null',
    '1e999',
    '9007199254740993',
    '\\ud800',
    '__proto__: 1\n',
    'kind: Secret\n',
    'kind: List\nitems:\n',
    '{{if}}',
  ],
];

const edit = fc.record({
  how: fc.constantFrom('insert', 'insert', 'delete', 'repeat', 'move', 'cut', 'indent', 'flip'),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  to: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  size: fc.integer({ min: 1, max: 60 }),
  piece: fc.oneof(fc.constantFrom(...PIECES), oddText),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** Real specs after a few random edits of their text. */
export const editedFile: fc.Arbitrary<File> = fc
  .record({ spec: fc.constantFrom(...BASE_SPECS), edits: fc.array(edit, { minLength: 1, maxLength: 5 }) })
  .map(({ spec: { file, text }, edits }) => ({ file, text: edits.reduce(edited, text).toWellFormed() }));

function edited(text: string, { how, at, to, size, piece }: Edit): string {
  const start = Math.floor(at * text.length);
  const end = Math.min(text.length, start + size);
  const target = Math.floor(to * text.length);
  const taken = text.slice(start, end);
  switch (how) {
    case 'insert':
      return text.slice(0, start) + piece + text.slice(start);
    case 'delete':
      return text.slice(0, start) + text.slice(end);
    case 'repeat':
      return text.slice(0, end) + taken + text.slice(end);
    case 'move':
      return text.slice(0, target) + taken + text.slice(target);
    case 'cut':
      return size > 50 ? text.slice(0, start) : text.slice(0, start) + text.slice(start + 1);
    case 'indent': {
      const line = text.lastIndexOf('\n', start) + 1;
      return size % 2 === 0 ? `${text.slice(0, line)} ${text.slice(line)}` : text.slice(0, line) + text.slice(line + 1);
    }
    case 'flip':
      return (
        text.slice(0, start) + String.fromCharCode(text.charCodeAt(start) ^ (1 << (size % 7))) + text.slice(start + 1)
      );
  }
}
