/** Inside a room, imports between folders lead one way. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';

/** What lies in a folder without subfolders that stand for themselves. A folder imports those before it; types alone may come from anywhere. */
const ORDERS: { readonly [folder: string]: readonly string[] } = {
  'runtime/gateway': [
    // What backends offer, and turns: nothing of a connection.
    'offers',
    'scheduling',
    'limits',
    // The wire towards backends, one folder for each transport and revision.
    'backends/messages',
    'backends',
    'backends/health',
    'backends/http',
    'backends/sse',
    'backends/stateless',
    'backends/revision',
    // Where a request goes, for whom.
    'optimizer/embeddings',
    'optimizer',
    'routing',
    'callers',
    // What clients get, by the revision that they speak.
    'workflow/template',
    'workflow/engine',
    'workflow',
    'tasks',
    'sessions',
    'stateless/rounds',
    'stateless',
    '.',
  ],
};

/** A file with what it imports from its room when it runs. */
interface Edge {
  readonly from: string;
  readonly to: string;
}

describe.each(Object.entries(ORDERS))('%s', (root, order) => {
  const files = globSync(`${root}/**/*.ts`, { cwd: ROOT });
  const edges = files.flatMap(importsOf).filter(({ to }) => to.startsWith(`${root}/`));
  const folder = (file: string) => placeIn(order, posix.relative(root, dirname(file)) || '.');

  test('every folder stands in the order, and the order names no other', () => {
    expect(new Set(files.map(folder))).toEqual(new Set(order));
    expect(edges.length).toBeGreaterThan(files.length);
  });

  test('folders import those before them alone', () => {
    const backward = edges.filter(({ from, to }) => order.indexOf(folder(from)) < order.indexOf(folder(to)));
    expect(backward.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });
});

/** The innermost folder that the order names. */
function placeIn(order: readonly string[], path: string): string {
  if (order.includes(path) || path === '.') return path;
  return placeIn(order, posix.dirname(path));
}

function importsOf(file: string): readonly Edge[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && !isTypeOnly(node.importClause)) found.push(textOf(node.moduleSpecifier));
    if (ts.isExportDeclaration(node) && !node.isTypeOnly) found.push(textOf(node.moduleSpecifier));
    if (ts.isCallExpression(node) && isLoading(node.expression)) found.push(textOf(node.arguments[0]));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found
    .filter(specifier => specifier.startsWith('.'))
    .map(specifier => ({ from: file, to: posix.join(posix.dirname(file), specifier) }));
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = clause;
  if (name !== undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.length > 0 && namedBindings.elements.every(element => element.isTypeOnly);
}

/** `import(…)`, and `require(…)` or what `createRequire` made. */
function isLoading(called: ts.Expression): boolean {
  return called.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(called) && called.text === 'require');
}

function textOf(node: ts.Node | undefined): string {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : '';
}
