/** Reads the imports of Lintel's source files, whose folders `npm run boundaries` keeps apart. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../support/process.ts';

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

/**
 * The imports of a file that lead to other files of this repository, including imports of types and dynamic ones.
 *
 * @param file path from the root
 */
export function listImports(file: string): readonly Edge[] {
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

/** `import(…)`, and calls of `require(…)` or of the result of `createRequire(…)`. */
function isLoading(called: ts.Expression): boolean {
  if (called.kind === ts.SyntaxKind.ImportKeyword) return true;
  return ts.isCallExpression(called)
    ? isLoading(called.expression)
    : ts.isIdentifier(called) && /[rR]equire$/.test(called.text);
}
