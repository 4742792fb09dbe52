/** The YAML texts of this repository, and YAML that is generated from values and from edits. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type DocumentOptions, type SchemaOptions, stringify, type ToStringOptions } from 'yaml';
import { CODES } from '../../../compiler/index.ts';
import { gatewayTexts } from '../../bench/gateways.ts';
import { anyCharacter } from '../../support/any-character.ts';

const ROOT = join(import.meta.dirname, '../../..');
const inRepository = (...patterns: readonly string[]): string[] =>
  globSync(patterns, { cwd: ROOT, exclude: ['node_modules', 'dist', '**/node_modules'] })
    // Helm templates become YAML only when they are rendered.
    .filter(name => !name.startsWith('controller/chart/templates/'))
    // The golden files of a file may be in a folder of the same name.
    .filter(name => statSync(join(ROOT, name)).isFile())
    .sort();

export interface NamedText {
  readonly name: string;
  readonly text: string;
}

const readRepositoryFile = (name: string): NamedText => ({ name, text: readFileSync(join(ROOT, name), 'utf8') });

const FILES = inRepository('**/*.yaml', '**/*.yml');
const isEmitted = (name: string) => /\/(?:expected|recorded)\//.test(name);

/** YAML that people wrote (examples, specs), and generated schemas. */
export const YAML_FILES: readonly NamedText[] = FILES.filter(name => !isEmitted(name)).map(readRepositoryFile);

/** Manifests of golden tests, and responses of an API server. */
export const EMITTED: readonly NamedText[] = FILES.filter(isEmitted).map(readRepositoryFile);

/** The output of the benchmark's generator. */
export const GENERATED: readonly NamedText[] = gatewayTexts(60).map(({ file, text }) => ({ name: file, text }));

/** The examples of all codes. */
export const EXAMPLES: readonly NamedText[] = Object.entries(CODES).flatMap(([code, { bad, good }]) =>
  [...bad, ...good].filter(({ language }) => language === 'yaml').map(({ text }) => ({ name: code, text })),
);

/** Template literals, and strings with line breaks. The last part skips other strings, such as titles, which may contain backticks. */
const LITERAL = /`((?:[^`\\]|\\[\s\S])*)`|'((?:[^'\\\n]|\\.)*\\n(?:[^'\\\n]|\\.)*)'|'(?:[^'\\\n]|\\.)*'/g;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Tests whose texts are not specs: keys, commits, requests, responses, programs, logs, protocol messages. */
const OTHER_TESTS =
  /^test\/(?:bridge|cluster|controller|images|shared\/(?:git|util)|support|(?:compiler\/|e2e\/)?(?:cdk8s|cdk8s-workflow|programs?)|examples\/cdk8s|runtime\/(?:auth-server|backend-edge|bridging|cancellation|client-edge|gateway|hostile-backends|large-answers|pass-through|scale-out|soak|stateless-edge|tasks))\//;

/** The texts in the tests: most are specs, the others are odd YAML. */
const TESTS = inRepository('test/**/*.ts').filter(name => !OTHER_TESTS.test(name));
export const INLINE: readonly NamedText[] = TESTS.flatMap(name =>
  [...readRepositoryFile(name).text.matchAll(LITERAL)].flatMap(([, template, quoted]) => {
    const text = template ?? quoted;
    if (text === undefined) return [];
    return [{ name, text: text.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char) }];
  }),
);

const SIGNS = [
  ' ',
  '  ',
  '\n',
  ':',
  '- ',
  '#',
  '"',
  "'",
  '|',
  '>',
  '{',
  '}',
  '[',
  ']',
  ',',
  '---',
  '?',
  '&a',
  '\\',
  '~',
];
/** Texts that are almost of another type. */
const NEAR_WORDS = [
  '',
  'null',
  'true',
  'No',
  'no',
  '0o17',
  '1e3',
  '.5',
  '-',
  '--',
  '2020-01-01',
  '12:30:45',
  '<<',
  '=',
  '__proto__',
];
const WORDS = ['a', 'node', 'two words', "it's", 'https://a.example/b?c=d#e', 'x: y', '30s', 'lines\nof text\n', 'é'];
const text = fc.oneof(
  { weight: 24, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...WORDS, ...SIGNS), { maxLength: 6 }).map(it => it.join('')) },
  { weight: 2, arbitrary: fc.constantFrom(...NEAR_WORDS) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant(`${'long words '.repeat(12)}and\n\nlines\n`) },
);
const scalar = fc.oneof(
  { weight: 12, arbitrary: text },
  { weight: 2, arbitrary: fc.boolean() },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 4, arbitrary: fc.integer() },
  { weight: 2, arbitrary: fc.constantFrom(0.5, -2.25, 1e-7, -0, 1e21, 2 ** 53 + 2) },
);
const { value } = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 5 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}));

const root = fc.oneof(
  { weight: 8, arbitrary: fc.dictionary(text, value, { minKeys: 1, maxKeys: 4 }) },
  { weight: 2, arbitrary: fc.array(value, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: scalar },
);

type Options = DocumentOptions & SchemaOptions & ToStringOptions;
const options: fc.Arbitrary<Options> = fc.record({
  indent: fc.constantFrom(1, 2, 3, 4, 8),
  indentSeq: fc.boolean(),
  collectionStyle: fc.constantFrom('any', 'any', 'any', 'block', 'flow'),
  defaultStringType: fc.constantFrom(
    'PLAIN',
    'PLAIN',
    'PLAIN',
    'QUOTE_DOUBLE',
    'QUOTE_SINGLE',
    'BLOCK_LITERAL',
    'BLOCK_FOLDED',
  ),
  defaultKeyType: fc.constantFrom('PLAIN', 'PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE'),
  lineWidth: fc.constantFrom(0, 0, 40, 80),
  blockQuote: fc.constantFrom<NonNullable<Options['blockQuote']>>(true, false, 'folded', 'literal'),
  flowCollectionPadding: fc.boolean(),
  nullStr: fc.constantFrom('null', 'null', '~', ''),
  singleQuote: fc.constantFrom(null, true, false),
  doubleQuotedAsJSON: fc.boolean(),
});

/** A stream of values as the library writes it, in any of its styles. */
export const writtenText: fc.Arbitrary<string> = fc
  .array(fc.tuple(root, options), { minLength: 1, maxLength: 3 })
  .map(documents => documents.map(([data, style]) => stringify(data, style)).join('---\n'));

const REAL: readonly string[] = [...YAML_FILES.filter(({ name }) => !OTHER_TESTS.test(name)), ...GENERATED, ...EXAMPLES]
  .map(({ text: whole }) => whole)
  .filter(({ length }) => length < 10_000);
const PIECES = [
  ...SIGNS,
  ': ',
  '-',
  ' #',
  '|-',
  '>-',
  '|+',
  '*a',
  '!',
  '...\n',
  '---\n',
  '? ',
  '<<',
  '%',
  '@',
  '\t',
  '\r\n',
  '0',
  '-0',
  'é',
  '😀',
];

type Edit = (text: string) => string;
const edit: fc.Arbitrary<Edit> = fc
  .record({
    kind: fc.nat({ max: 5 }),
    at: fc.nat(),
    from: fc.nat(),
    indent: fc.nat({ max: 6 }),
    piece: fc.constantFrom(...PIECES),
  })
  .map(({ kind, at, from, indent, piece }) => before => {
    const place = at % (before.length + 1);
    const lines = before.split('\n');
    const line = at % lines.length;
    const other = lines[from % lines.length] ?? '';
    switch (kind) {
      case 0:
        return before.slice(0, place) + piece + before.slice(place);
      case 1:
        return before.slice(0, place) + before.slice(place + 1);
      case 2:
        return before.slice(0, place) + piece + before.slice(place + piece.length);
      case 3:
        return lines.toSpliced(line, 0, other).join('\n');
      case 4:
        return lines.toSpliced(line, 1).join('\n');
      default:
        return lines.with(line, ' '.repeat(indent) + (lines[line] ?? '').trimStart()).join('\n');
    }
  });

/** A part of a real text after one or more edits. */
export const editedText: fc.Arbitrary<string> = fc
  .record({
    real: fc.constantFrom(...REAL),
    start: fc.nat(),
    length: fc.integer({ min: 1, max: 25 }),
    edits: fc.array(edit, { minLength: 1, maxLength: 4 }),
  })
  .map(({ real, start, length, edits }) => {
    const lines = real.split('\n');
    const first = start % lines.length;
    return edits.reduce((before, apply) => apply(before), lines.slice(first, first + length).join('\n'));
  });
