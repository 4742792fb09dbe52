/** Resolves names in a file. Only immutable bindings are known. */
import type ts from 'typescript';
import type { TypeScript } from './load-typescript.ts';

/** The names and indices of members that lead from a value to one of its parts. */
type MemberSteps = readonly (string | number)[];

export type FunctionNode = ts.FunctionLikeDeclaration;

export type Binding =
  /** A constant, or part of one. */
  | {
      readonly type: 'value';
      readonly value: ts.Expression;
      readonly steps: MemberSteps;
      readonly fallback: ts.Expression | undefined;
    }
  | {
      readonly type: 'parameter';
      readonly of: FunctionNode;
      readonly index: number;
      readonly steps: MemberSteps;
      readonly fallback: ts.Expression | undefined;
    }
  /** The items of a list, one after the other. */
  | { readonly type: 'item'; readonly list: ts.Expression; readonly steps: MemberSteps }
  /** `name` is `*` for the whole module. */
  | { readonly type: 'import'; readonly specifier: string; readonly name: string }
  | { readonly type: 'function'; readonly node: ts.FunctionDeclaration }
  | { readonly type: 'class'; readonly node: ts.ClassLikeDeclaration };

/** What a name refers to; undefined for a mutable binding, or one outside of the file. */
export function findBinding(name: ts.Identifier, typescript: TypeScript): Binding | undefined {
  for (let node: ts.Node | undefined = name.parent; node !== undefined; node = node.parent) {
    const found = findBindingIn(node, name.text, typescript);
    if (found !== undefined) return found === 'unknown' ? undefined : found;
  }
  return undefined;
}

/** The binding that a module's statement declares. */
export function findStatementBinding(
  statement: ts.Statement,
  name: string,
  typescript: TypeScript,
): Binding | 'unknown' | undefined {
  if (typescript.isVariableStatement(statement)) return findListBinding(statement.declarationList, name, typescript);
  if (typescript.isFunctionDeclaration(statement) && statement.name?.text === name)
    return { type: 'function', node: statement };
  if (typescript.isClassDeclaration(statement) && statement.name?.text === name)
    return { type: 'class', node: statement };
  if (typescript.isEnumDeclaration(statement) && statement.name.text === name) return 'unknown';
  if (typescript.isImportEqualsDeclaration(statement) && statement.name.text === name) {
    const { moduleReference } = statement;
    const isModule =
      typescript.isExternalModuleReference(moduleReference) &&
      typescript.isStringLiteralLike(moduleReference.expression);
    return isModule
      ? { type: 'import', specifier: (moduleReference.expression as ts.StringLiteral).text, name: '*' }
      : 'unknown';
  }
  return typescript.isImportDeclaration(statement) ? findImportBinding(statement, name, typescript) : undefined;
}

function findBindingIn(node: ts.Node, name: string, typescript: TypeScript): Binding | 'unknown' | undefined {
  if (typescript.isSourceFile(node) || typescript.isBlock(node) || typescript.isModuleBlock(node)) {
    for (const statement of node.statements) {
      const found = findStatementBinding(statement, name, typescript);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (typescript.isForOfStatement(node) && typescript.isVariableDeclarationList(node.initializer)) {
    for (const { name: bound } of node.initializer.declarations) {
      const found = findPart(bound, name, [], undefined, typescript);
      if (found !== undefined) return { type: 'item', list: node.expression, steps: found.steps };
    }
  }
  if (typescript.isForStatement(node) || typescript.isForInStatement(node)) {
    const { initializer } = node;
    const isOurs =
      initializer !== undefined &&
      typescript.isVariableDeclarationList(initializer) &&
      initializer.declarations.some(
        declaration => findPart(declaration.name, name, [], undefined, typescript) !== undefined,
      );
    return isOurs ? 'unknown' : undefined;
  }
  if (typescript.isCatchClause(node) && node.variableDeclaration !== undefined)
    return findPart(node.variableDeclaration.name, name, [], undefined, typescript) && 'unknown';
  return typescript.isFunctionLike(node) ? findParameterBinding(node as FunctionNode, name, typescript) : undefined;
}

function findParameterBinding(
  node: FunctionNode,
  name: string,
  typescript: TypeScript,
): Binding | 'unknown' | undefined {
  for (const [index, parameter] of node.parameters.entries()) {
    const found = findPart(parameter.name, name, [], parameter.initializer, typescript);
    if (found === undefined) continue;
    if (parameter.dotDotDotToken !== undefined) return 'unknown';
    const list = index === 0 ? listOfCallback(node, typescript) : undefined;
    if (list !== undefined) return { type: 'item', list, steps: found.steps };
    return { type: 'parameter', of: node, index, ...found };
  }
  return undefined;
}

/** List methods that call a function for each item. */
const EACH: readonly string[] = ['forEach', 'map', 'flatMap', 'filter', 'some', 'every', 'find'];

function listOfCallback(node: FunctionNode, typescript: TypeScript): ts.Expression | undefined {
  const { parent } = node;
  if (!typescript.isCallExpression(parent) || parent.arguments[0] !== (node as ts.Node)) return undefined;
  const { expression } = parent;
  return typescript.isPropertyAccessExpression(expression) && EACH.includes(expression.name.text)
    ? expression.expression
    : undefined;
}

function findListBinding(
  list: ts.VariableDeclarationList,
  name: string,
  typescript: TypeScript,
): Binding | 'unknown' | undefined {
  for (const declaration of list.declarations) {
    const found = findPart(declaration.name, name, [], undefined, typescript);
    if (found === undefined) continue;
    const { initializer } = declaration;
    if (initializer === undefined || !(isConst(list, typescript) || isNeverAssigned(name, list))) return 'unknown';
    return { type: 'value', value: initializer, ...found };
  }
  return undefined;
}

function isConst(list: ts.VariableDeclarationList, { NodeFlags }: TypeScript): boolean {
  return (list.flags & NodeFlags.Const) !== 0;
}

/** Whether a variable is never assigned again, judging by the text: a name that is assigned anywhere in the file counts as assigned. */
function isNeverAssigned(name: string, list: ts.VariableDeclarationList): boolean {
  const quoted = name.replaceAll('$', '\\$');
  const assigned = new RegExp(
    `(?<![\\w$.])${quoted}\\s*(?:[-+*/%&|^?]{0,3}=(?![=>])|\\+\\+|--)|(?:\\+\\+|--)\\s*${quoted}(?![\\w$])`,
    'g',
  );
  return [...list.getSourceFile().text.matchAll(assigned)].length <= 1;
}

interface Bound {
  readonly steps: MemberSteps;
  readonly fallback: ts.Expression | undefined;
}

/** The path of a name in a destructuring pattern. */
function findPart(
  bound: ts.BindingName,
  name: string,
  steps: MemberSteps,
  fallback: ts.Expression | undefined,
  typescript: TypeScript,
): Bound | undefined {
  if (typescript.isIdentifier(bound)) return bound.text === name ? { steps, fallback } : undefined;
  for (const [index, element] of bound.elements.entries()) {
    // TypeScript 7 represents an elision as an element without a name.
    if (typescript.isOmittedExpression(element) || element.name === undefined) continue;
    const step = typescript.isArrayBindingPattern(bound) ? index : findKey(element, typescript);
    // The rest of an object has the same member names as the object.
    const isRest = element.dotDotDotToken !== undefined;
    if (step === undefined || (isRest && typescript.isArrayBindingPattern(bound))) continue;
    const found = findPart(element.name, name, isRest ? steps : [...steps, step], element.initializer, typescript);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findKey({ propertyName, name }: ts.BindingElement, typescript: TypeScript): string | undefined {
  const key = propertyName ?? name;
  return typescript.isIdentifier(key) || typescript.isStringLiteralLike(key) ? key.text : undefined;
}

function findImportBinding(
  { importClause, moduleSpecifier }: ts.ImportDeclaration,
  name: string,
  typescript: TypeScript,
): Binding | undefined {
  if (importClause === undefined || !typescript.isStringLiteralLike(moduleSpecifier)) return undefined;
  const specifier = moduleSpecifier.text;
  if (importClause.name?.text === name) return { type: 'import', specifier, name: 'default' };
  const { namedBindings } = importClause;
  if (namedBindings === undefined) return undefined;
  if (typescript.isNamespaceImport(namedBindings))
    return namedBindings.name.text === name ? { type: 'import', specifier, name: '*' } : undefined;
  const element = namedBindings.elements.find(entry => entry.name.text === name);
  return element && { type: 'import', specifier, name: (element.propertyName ?? element.name).text };
}
