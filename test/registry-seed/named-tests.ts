/** The tests that a file declares, by name, read from its text. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';

export interface NamedTest {
  /** The test's name with the names of the groups around it, as written: `group > test`. */
  readonly name: string;
  /** The texts in the table of a `test.each`, or of its group. */
  readonly rows: ReadonlySet<string>;
}

const SKIPPED = /^(?:test|describe)\.(?:skip|todo)\b/;

/** The tests in a file, without skipped ones and `test.todo`. */
export function namedTests(file: string): readonly NamedTest[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: NamedTest[] = [];
  collect(source, [], new Set(), found);
  return found;
}

function collect(node: ts.Node, groups: readonly string[], rows: ReadonlySet<string>, found: NamedTest[]): void {
  if (ts.isCallExpression(node) && SKIPPED.test(node.expression.getText())) return;
  const call = ts.isCallExpression(node) ? declarationIn(node) : undefined;
  if (call === undefined) {
    ts.forEachChild(node, child => collect(child, groups, rows, found));
    return;
  }
  const names = [...groups, call.name];
  const all = new Set([...rows, ...call.rows]);
  if (call.what === 'test') found.push({ name: names.join(' > '), rows: all });
  else for (const argument of call.body) collect(argument, names, all, found);
}

interface Declaration {
  readonly what: 'test' | 'describe';
  readonly name: string;
  readonly rows: readonly string[];
  readonly body: readonly ts.Expression[];
}

/** The declaration in a call of `test(…)` or `describe(…)`, also with `.each(…)`. */
function declarationIn(node: ts.CallExpression): Declaration | undefined {
  const [title, ...body] = node.arguments;
  if (title === undefined || !ts.isStringLiteralLike(title)) return undefined;
  const { expression } = node;
  const table = ts.isCallExpression(expression) ? expression : undefined;
  const callee = table === undefined ? expression.getText() : eachOf(table.expression);
  if (callee !== 'test' && callee !== 'describe') return undefined;
  return { what: callee, name: title.text, rows: (table?.arguments ?? []).flatMap(textsIn), body };
}

function eachOf(expression: ts.Expression): string | undefined {
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== 'each') return undefined;
  return expression.expression.getText();
}

function textsIn(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  const texts: string[] = [];
  ts.forEachChild(node, child => {
    texts.push(...textsIn(child));
  });
  return texts;
}
