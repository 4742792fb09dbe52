import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { COMPILER_RULES } from '../../../schemas/generate/cdk8s/compiler-rules.ts';
import { collectObjects } from '../../../schemas/generate/cdk8s/specs.ts';
import { findUnions, listRules } from '../../../schemas/generate/cdk8s/unions.ts';
import { UNTYPED_RULES } from '../../../schemas/generate/cdk8s/untyped-rules.ts';
import { walk } from '../../../schemas/generate/structural-schema.ts';
import { KINDS_FILE } from '../../../schemas/index.ts';
import { ROOT } from '../../support/process.ts';
import { UNIONS } from './unions.ts';

const KINDS = Object.values(KINDS_FILE);
const OBJECTS = collectObjects(KINDS);

test('this test has a case for every schema with a union', () => {
  const titles = [...OBJECTS].filter(([, schema]) => findUnions(schema).length > 0).map(([title]) => title);
  expect(Object.keys(UNIONS).sort()).toEqual(titles.sort());
});

test('each rule that UNTYPED_RULES lists is in a schema, and each object that COMPILER_RULES lists has a schema', () => {
  const schemas = KINDS.flatMap(({ spec }) => [...walk({ path: '', schema: spec })]).map(({ schema }) => schema);
  const rules = schemas.flatMap(listRules);
  expect(Object.keys(UNTYPED_RULES).filter(rule => !rules.includes(rule))).toEqual([]);
  expect(Object.keys(COMPILER_RULES).filter(title => !OBJECTS.has(title))).toEqual([]);
});

interface Line {
  readonly title: string;
  readonly text: string;
  readonly isAccepted: boolean;
}

const LINES: readonly Line[] = Object.entries(UNIONS).flatMap(([title, { accepts, refuses }]) => [
  ...accepts.map(text => ({ title, text, isAccepted: true })),
  ...refuses.map(text => ({ title, text, isAccepted: false })),
]);

/** Errors of the type checker, by the index of their line. */
function check(lines: readonly Line[], options: ts.CompilerOptions): Map<number, string> {
  const file = join(ROOT, 'test/cdk8s/types/program.ts');
  const imports = "import type * as specs from '../../../schemas/generated/cdk8s/specs.ts';\n";
  const text =
    imports + lines.map(({ title, text }, at) => `export const v${at}: specs.${title} = ${text};\n`).join('');
  const all = {
    ...options,
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2022,
  };
  const host = ts.createCompilerHost(all);
  const { getSourceFile } = host;
  host.getSourceFile = (path, target) =>
    path === file ? ts.createSourceFile(path, text, target) : getSourceFile(path, target);
  const program = ts.createProgram([file], { ...all, types: [], skipLibCheck: true }, host);
  const found = new Map<number, string>();
  for (const { file: source, start, messageText } of ts.getPreEmitDiagnostics(program)) {
    if (source?.fileName !== file) throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    const { line } = source.getLineAndCharacterOfPosition(start ?? 0);
    found.set(line - 1, ts.flattenDiagnosticMessageText(messageText, '\n'));
  }
  return found;
}

const OPTIONS: readonly (readonly [what: string, options: ts.CompilerOptions])[] = [
  ['as cdk8s projects are made', {}],
  ['with exact optional properties', { exactOptionalPropertyTypes: true }],
];
test.each(OPTIONS)('the type checker accepts valid values of a union and refuses invalid values, %s', (_, options) => {
  const errors = check(LINES, options);
  const wrong = LINES.filter(({ isAccepted }, at) => isAccepted === errors.has(at));
  expect(wrong.map(line => ({ ...line, error: errors.get(LINES.indexOf(line)) }))).toEqual([]);
});
