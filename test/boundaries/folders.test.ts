/** Inside a room, imports between folders lead one way. */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';

/** A folder stands for its subfolders that the order does not name, and imports those before it. A file of the room itself is named as it is. */
const ORDERS: { readonly [folder: string]: readonly string[] } = {
  compiler: [
    'usage-error.ts',
    'package-files.ts',
    'text',
    'diagnostics',
    'html',
    // The stages.
    'source',
    'check',
    'resolve',
    'analysis',
    'analysis/templates',
    'analysis/json-schema',
    'analysis/pods',
    'analysis/catalog',
    'analysis/gateway',
    'analysis/cedar',
    'analysis/exposure',
    'analysis/registry',
    'analysis/access',
    // Makes manifests of plans, and stands before the rules because one asks which pod would be made.
    'emit',
    'rules',
    'lower',
    // MCPServers and MCPRemoteProxies, lowered as gateways of one backend.
    'servers',
    'lint',
    'compile',
    'compile.ts',
    // On top of the compiler.
    'incremental',
    'project',
    'cdk8s',
    'program',
    'audit-log',
    'doctor',
    'top',
    'connect',
    'fix',
    'completion',
    'client',
    'find',
    'explain',
    'starter',
    'import',
    'export',
    'validation-plugin',
    'workflow-tests',
    'language-server',
    'commands',
    'index.ts',
    'cli',
    'cli.ts',
    'main.ts',
  ],
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
    'backends/era',
    // Where a request goes, for whom.
    'optimizer/embeddings',
    'optimizer',
    'routing',
    'served-bundle.ts',
    'callers',
    // What clients get, by the revision that they speak.
    'workflow/template',
    'workflow/engine',
    'workflow',
    'tasks',
    'sessions',
    'stateless/rounds',
    'stateless',
    'connection.ts',
    'gateway.ts',
  ],
};

/** Folders whose types, too, are imported in this order alone. */
const STRICT: ReadonlySet<string> = new Set(['compiler']);

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

describe.each(Object.entries(ORDERS))('%s', (root, order) => {
  const files = globSync(`${root}/**/*.ts`, { cwd: ROOT });
  const edges = files
    .flatMap(importsOf)
    .filter(({ to, isType }) => to.startsWith(`${root}/`) && (STRICT.has(root) || !isType));
  const folder = (file: string) => placeIn(order, posix.relative(root, file));

  test('every folder and file stands in the order, and the order names no other', () => {
    expect(new Set(files.map(folder))).toEqual(new Set(order));
    expect(edges.length).toBeGreaterThan(files.length);
  });

  test('folders import those before them alone', () => {
    const backward = edges.filter(({ from, to }) => order.indexOf(folder(from)) < order.indexOf(folder(to)));
    expect(backward.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });
});

/** The innermost folder that the order names, or the file itself. */
function placeIn(order: readonly string[], path: string): string {
  const above = posix.dirname(path);
  return order.includes(path) || above === '.' ? path : placeIn(order, above);
}

function importsOf(file: string): readonly Edge[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
  const found: Edge[] = [];
  const add = (specifier: ts.Node | undefined, isType: boolean) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier) || !specifier.text.startsWith('.')) return;
    found.push({ from: file, to: posix.join(posix.dirname(file), specifier.text), isType });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause));
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    if (ts.isCallExpression(node) && isLoading(node.expression)) add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = clause;
  if (name !== undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.length > 0 && namedBindings.elements.every(element => element.isTypeOnly);
}

/** `import(…)`, and `require(…)` or what `createRequire(…)` made. */
function isLoading(called: ts.Expression): boolean {
  if (called.kind === ts.SyntaxKind.ImportKeyword) return true;
  return ts.isCallExpression(called)
    ? isLoading(called.expression)
    : ts.isIdentifier(called) && /[rR]equire$/.test(called.text);
}
