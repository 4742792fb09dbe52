/** Inserts answers into the text of a test file; every other character stays, including comments. */
import { isDeepStrictEqual } from 'node:util';
import type { WorkflowTest, WorkflowTestFile } from '#schemas';
import { formatYaml } from '../../source/format-yaml.ts';
import { readText } from '../../source/read-text.ts';
import type { Path, SourceDocument } from '../../source/source-document.ts';
import { SourceText } from '../../source/source-text.ts';
import type { RecordedOutcome } from './recorded-answers.ts';

/** The data that a run adds to its test. */
export type Addition = Pick<RecordedOutcome, 'answers' | 'expect'>;

/** Lines to insert after a 1-based line. */
interface Insertion {
  readonly after: number;
  readonly text: string;
}

/**
 * @param additions by index of the test; answers are appended to existing ones
 * @returns undefined when the tests are in flow style, such as `{ name: a }`, where lines cannot be inserted
 */
export function insertAnswers(document: SourceDocument, additions: ReadonlyMap<number, Addition>): string | undefined {
  const file = document.value as WorkflowTestFile;
  const insertions = [...additions].flatMap(([index, addition]) =>
    listInsertions(document, index, file.tests[index] as WorkflowTest, addition),
  );
  const text = insert(document.source, insertions);
  const { documents, diagnostics } = readText(new SourceText(document.file, text));
  const isAsMeant = diagnostics.length === 0 && isDeepStrictEqual(documents[0]?.value, withAdditions(file, additions));
  return isAsMeant ? text : undefined;
}

function listInsertions(
  document: SourceDocument,
  index: number,
  { tools }: WorkflowTest,
  { answers, expect }: Addition,
): readonly Insertion[] {
  const path = ['tests', index];
  const fields = {
    ...(tools === undefined && answers.size > 0 ? { tools: Object.fromEntries(answers) } : {}),
    ...(expect === undefined ? {} : { expect }),
  };
  const text = indentText(formatYaml(fields, 'manifest'), findIndent(document, [...path, 'name']));
  const added = Object.keys(fields).length === 0 ? [] : [{ after: findLastLine(document, [...path, 'name']), text }];
  if (tools === undefined) return added;
  const [first = ''] = Object.keys(tools);
  const more = [...answers].map(([name, list]): Insertion => {
    const known = tools[name];
    if (known === undefined) {
      const indent = findIndent(document, [...path, 'tools', first]);
      const { line } = document.locate([...path, 'tools'], 'key').start;
      return { after: line, text: indentText(formatYaml({ [name]: list }, 'manifest'), indent) };
    }
    const last = [...path, 'tools', name, known.length - 1];
    const { line } = document.locate(last, 'value').start;
    const dash = /^(\s*)-/.exec(document.source.line(line)?.text ?? '')?.[1] ?? '';
    const items = formatYaml({ list }, 'manifest').split('\n').slice(1).join('\n');
    const depth = /^ */.exec(items)?.[0].length ?? 0;
    return { after: findLastLine(document, last), text: indentText(items, dash.length, depth) };
  });
  return [...added, ...more];
}

function findIndent(document: SourceDocument, path: Path): number {
  return document.locate(path, 'key').start.column - 1;
}

/** A value that ends at the beginning of a line belongs to the previous line. */
function findLastLine(document: SourceDocument, path: Path): number {
  const { line, column } = document.locate(path, 'value').end;
  return column === 1 ? line - 1 : line;
}

/** @param before existing indentation in columns */
function indentText(text: string, columns: number, before = 0): string {
  return text
    .trimEnd()
    .split('\n')
    .map(line => (line === '' ? '' : `${' '.repeat(columns)}${line.slice(before)}`))
    .join('\n');
}

function insert({ text, startsWithMark }: SourceText, insertions: readonly Insertion[]): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split('\n');
  for (const { after, text: added } of insertions.toSorted((a, b) => b.after - a.after)) {
    const before = lines[after - 1] ?? '';
    const isCut = end === '\r\n' && !before.endsWith('\r');
    lines[after - 1] = isCut ? `${before}\r` : before;
    lines.splice(after, 0, ...added.split('\n').map(line => (end === '\r\n' ? `${line}\r` : line)));
  }
  return `${startsWithMark ? '\uFEFF' : ''}${lines.join('\n')}`;
}

function withAdditions(file: WorkflowTestFile, additions: ReadonlyMap<number, Addition>): WorkflowTestFile {
  return {
    ...file,
    tests: file.tests.map((test, index) => {
      const { answers = new Map(), expect } = additions.get(index) ?? {};
      const lists = [...answers].map(([name, list]) => [name, [...(test.tools?.[name] ?? []), ...list]] as const);
      return {
        ...test,
        ...(lists.length === 0 ? {} : { tools: { ...test.tools, ...Object.fromEntries(lists) } }),
        ...(expect === undefined ? {} : { expect }),
      };
    }),
  };
}
