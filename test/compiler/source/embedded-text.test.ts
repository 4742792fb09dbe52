import { expect, test } from 'vitest';
import { readTexts, SourceText } from '#compiler';
import { readEmbedded } from '../../../compiler/source/embedded-text.ts';
import type { SourceDocument } from '../../../compiler/source/source-document.ts';

const CONFIG = 'sources:\n  - name: a\n';
const NAME = ['sources', 0, 'name'];

function outer(text: string): SourceDocument {
  const [document] = readTexts([new SourceText('outer.yaml', text)]).documents;
  if (document === undefined) throw new Error('no document');
  return document;
}

function placeOf(document: SourceDocument): string {
  const [inner] = readEmbedded(document, ['spec', 'text'], CONFIG).documents;
  const { start } = inner?.locate(NAME, 'value') ?? {};
  return `${start?.line}:${start?.column}`;
}

test('a finding in YAML inside of a literal block has the line and column that the mistake has in the file', () => {
  expect(placeOf(outer('spec:\n  text: |\n    sources:\n      - name: a\n'))).toBe('4:15');
});

test('a finding in YAML inside of a quoted string has the position of the field that has the string', () => {
  expect(placeOf(outer(`spec:\n  text: ${JSON.stringify(CONFIG)}\n`))).toBe('2:3');
});

test('the compiler asks a TypeScript program for the position of a value inside of a YAML text that the program sets', () => {
  const document = outer(`spec:\n  text: ${JSON.stringify(CONFIG)}\n`);
  const locate: SourceDocument['locate'] = (path, at) => document.locate(path, at);
  const asked: unknown[] = [];
  const program = {
    constructPath: 'App/Registry',
    locate: (...question: unknown[]) => void asked.push(question),
    calls: (...question: unknown[]) => {
      asked.push(question);
      return [];
    },
  } as unknown as NonNullable<SourceDocument['program']>;
  const [inner] = readEmbedded({ ...document, locate, program }, ['spec', 'text'], CONFIG).documents;
  inner?.program?.locate(NAME, 'value');
  inner?.program?.calls(NAME);
  expect(inner?.program?.constructPath).toBe('App/Registry');
  expect(asked).toEqual([[['spec', 'text', ...NAME], 'value'], [['spec', 'text', ...NAME]]]);
});
