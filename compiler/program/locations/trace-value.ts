/**
 * Traces a value in the arguments of a call to its origin: through object literals, lists, spreads, constants, imports, helper functions and
 * parameters, as far as the syntax shows. A computed value ends the trace.
 */
import type ts from 'typescript';
import { type Binding, type FunctionNode, findBinding } from './bindings.ts';
import type { PlacedCall } from './find-call.ts';
import type { TypeScript } from './load-typescript.ts';
import type { Export, Modules } from './modules.ts';
import type { ParsedFile } from './program-files.ts';

type MemberSteps = readonly (string | number)[];

/** A part of a file. */
export interface SourceNode {
  readonly file: ParsedFile;
  readonly node: ts.Node;
}

/** Where the trace ended. */
export interface TracedValue {
  /**
   * - `found`: the origin of the value. - `computed`: this expression computes it, and the trace ends here. - `missing`: this literal does not
   * contain it.
   */
  readonly type: 'found' | 'computed' | 'missing';
  readonly sourceNode: SourceNode;
  /** The key of the last member on the path. */
  readonly key?: SourceNode;
  /** The number of members that the trace did not reach. */
  readonly unresolved: number;
}

/** An expression with the calls that it is evaluated in, innermost first. */
interface CalledExpression {
  readonly file: ParsedFile;
  readonly node: ts.Expression;
  readonly calls: readonly PlacedCall[];
}

/** Maximum depth of a trace, deeper than any real program needs. */
const MAX_DEPTH = 60;

export class ValueTracer {
  readonly #typescript: TypeScript;
  readonly #modules: Modules;
  /** The final value, which identifies list items. */
  readonly #value: unknown;
  #depth = 0;

  constructor(typescript: TypeScript, modules: Modules, value: unknown) {
    this.#typescript = typescript;
    this.#modules = modules;
    this.#value = value;
  }

  /**
   * @param calls the first one has the value in its arguments, the others are its callers
   * @param argument index of the argument
   */
  traceArgument(calls: readonly PlacedCall[], traceArgument: number, steps: MemberSteps): TracedValue | undefined {
    const [call] = calls;
    const node = call?.node.arguments?.[traceArgument];
    const before = call?.node.arguments?.slice(0, traceArgument) ?? [];
    if (call === undefined || node === undefined || this.#typescript.isSpreadElement(node)) return undefined;
    if (before.some(expression => this.#typescript.isSpreadElement(expression))) return undefined;
    return this.#follow({ file: call.file, node, calls }, steps);
  }

  #follow(expression: CalledExpression, steps: MemberSteps): TracedValue {
    if (this.#depth >= MAX_DEPTH) return traceCall(expression, steps);
    this.#depth += 1;
    try {
      return this.#traceStep({ ...expression, node: this.#toBare(expression.node) }, steps);
    } finally {
      this.#depth -= 1;
    }
  }

  #traceStep(expression: CalledExpression, steps: MemberSteps): TracedValue {
    const { node } = expression;
    const to = this.#typescript;
    if (to.isIdentifier(node)) return this.#traceName(expression, node, steps);
    if (to.isPropertyAccessExpression(node))
      return this.#traceMember(expression, node.expression, node.name.text, steps);
    if (to.isElementAccessExpression(node)) {
      const step = to.isStringLiteralLike(node.argumentExpression) || to.isNumericLiteral(node.argumentExpression);
      if (step) {
        const { text } = node.argumentExpression as ts.LiteralExpression;
        return this.#traceMember(expression, node.expression, text, steps);
      }
    }
    if (steps.length === 0) return { type: 'found', sourceNode: expression, unresolved: 0 };
    if (to.isObjectLiteralExpression(node)) return this.#traceObject(expression, node, steps);
    if (to.isArrayLiteralExpression(node)) return this.#traceList(expression, node, steps);
    if (to.isConditionalExpression(node)) return this.#traceEither(expression, [node.whenTrue, node.whenFalse], steps);
    if (to.isBinaryExpression(node)) return this.#traceOperator(expression, node, steps);
    if (to.isCallExpression(node)) return this.#traceCall(expression, node, steps);
    return traceCall(expression, steps);
  }

  /** Removes syntax that only changes the type. */
  #toBare(node: ts.Expression): ts.Expression {
    const to = this.#typescript;
    let bare = node;
    while (
      to.isParenthesizedExpression(bare) ||
      to.isAsExpression(bare) ||
      to.isSatisfiesExpression(bare) ||
      to.isNonNullExpression(bare) ||
      to.isTypeAssertionExpression(bare) ||
      to.isAwaitExpression(bare)
    ) {
      bare = bare.expression;
    }
    return bare;
  }

  #traceMember(expression: CalledExpression, holder: ts.Expression, name: string, steps: MemberSteps): TracedValue {
    const found = this.#follow({ ...expression, node: holder }, [name, ...steps]);
    return found.unresolved <= steps.length ? found : traceCall(expression, steps);
  }

  #traceObject(expression: CalledExpression, node: ts.ObjectLiteralExpression, steps: MemberSteps): TracedValue {
    const to = this.#typescript;
    const [step, ...rest] = steps;
    let unclear: ts.Expression | undefined;
    // The last of several properties with the same name counts.
    for (const property of node.properties.toReversed()) {
      if (to.isSpreadAssignment(property)) {
        const found = this.#follow({ ...expression, node: property.expression }, steps);
        if (found.unresolved < steps.length) return found;
        if (found.type === 'computed') unclear ??= property.expression;
        continue;
      }
      const name = this.#readName(property.name, expression);
      if (name === undefined) {
        unclear ??= to.isPropertyAssignment(property) ? property.initializer : undefined;
        continue;
      }
      if (name !== String(step)) continue;
      const key = { file: expression.file, node: property.name };
      if (to.isMethodDeclaration(property) || to.isAccessor(property))
        return {
          type: 'computed',
          sourceNode: { file: expression.file, node: property },
          key,
          unresolved: rest.length,
        };
      const value = to.isShorthandPropertyAssignment(property) ? property.name : property.initializer;
      const found = this.#follow({ ...expression, node: value }, rest);
      return rest.length === 0 || found.key === undefined ? { ...found, key } : found;
    }
    if (unclear !== undefined) return traceCall({ ...expression, node: unclear }, steps);
    return { type: 'missing', sourceNode: expression, unresolved: steps.length };
  }

  #readName(name: ts.PropertyName, expression: CalledExpression): string | undefined {
    const to = this.#typescript;
    if (!to.isComputedPropertyName(name)) return name.text;
    const { sourceNode } = this.#follow({ ...expression, node: name.expression }, []);
    return to.isStringLiteralLike(sourceNode.node) || to.isNumericLiteral(sourceNode.node)
      ? sourceNode.node.text
      : undefined;
  }

  #traceList(expression: CalledExpression, node: ts.ArrayLiteralExpression, steps: MemberSteps): TracedValue {
    const [step, ...rest] = steps;
    const items = this.#listItems(expression, node);
    if (items === undefined) return traceCall(expression, steps);
    const item = items[Number(step)];
    if (item === undefined) return { type: 'missing', sourceNode: expression, unresolved: steps.length };
    // An item is its own key, as in YAML.
    const key = { file: item.file, node: this.#toBare(item.node) };
    return { key, ...this.#follow(item, rest) };
  }

  /** The items of a list; undefined when their number is unknown. */
  #listItems(expression: CalledExpression, node: ts.ArrayLiteralExpression): readonly CalledExpression[] | undefined {
    const to = this.#typescript;
    const items: CalledExpression[] = [];
    for (const element of node.elements) {
      if (!to.isSpreadElement(element)) {
        items.push({ ...expression, node: element });
        continue;
      }
      const { sourceNode } = this.#follow({ ...expression, node: element.expression }, []);
      const inner = to.isArrayLiteralExpression(sourceNode.node)
        ? this.#listItems({ ...expression, file: sourceNode.file, node: sourceNode.node }, sourceNode.node)
        : undefined;
      if (inner === undefined) return undefined;
      items.push(...inner);
    }
    return items;
  }

  #traceOperator(
    expression: CalledExpression,
    { operatorToken, left, right }: ts.BinaryExpression,
    steps: MemberSteps,
  ): TracedValue {
    const { SyntaxKind } = this.#typescript;
    if (operatorToken.kind === SyntaxKind.AmpersandAmpersandToken) {
      const found = this.#follow({ ...expression, node: right }, steps);
      return found.unresolved < steps.length ? found : traceCall(expression, steps);
    }
    const isChoice =
      operatorToken.kind === SyntaxKind.QuestionQuestionToken || operatorToken.kind === SyntaxKind.BarBarToken;
    return isChoice ? this.#traceEither(expression, [left, right], steps) : traceCall(expression, steps);
  }

  /** If only one branch contains the value, this branch is the origin. Otherwise it is unknown which branch was executed. */
  #traceEither(expression: CalledExpression, nodes: readonly ts.Expression[], steps: MemberSteps): TracedValue {
    const found = nodes
      .map(node => this.#follow({ ...expression, node }, steps))
      .filter(value => value.unresolved < steps.length || value.type === 'computed');
    const [only] = found;
    return only !== undefined && found.length === 1 && only.unresolved < steps.length
      ? only
      : traceCall(expression, steps);
  }

  #traceCall(expression: CalledExpression, node: ts.CallExpression, steps: MemberSteps): TracedValue {
    const to = this.#typescript;
    const callee = node.expression.getText(expression.file.tree);
    const parameters = node.arguments.filter(argument => !to.isSpreadElement(argument));
    if (callee === 'Object.freeze' || callee === 'structuredClone') {
      const [value] = parameters;
      return value === undefined ? traceCall(expression, steps) : this.#follow({ ...expression, node: value }, steps);
    }
    if (callee === 'Object.assign') {
      for (const value of parameters.toReversed()) {
        const found = this.#follow({ ...expression, node: value }, steps);
        if (found.unresolved < steps.length) return found;
        if (found.type === 'computed') break;
      }
      return traceCall(expression, steps);
    }
    const [specifier, patched] = parameters;
    // A function of cdk8s creates the object of an operation (RFC 6902).
    if (/\bJsonPatch\.(?:add|replace|test)$/.test(callee) && steps[0] === 'value' && patched !== undefined)
      return this.#follow({ ...expression, node: patched }, steps.slice(1));
    if (callee === 'require' && specifier !== undefined && to.isStringLiteralLike(specifier)) {
      const [name, ...rest] = steps;
      const found = this.#modules.findExport(expression.file, specifier.text, String(name));
      return found === undefined ? traceCall(expression, steps) : this.#traceExport(expression, found, rest, steps);
    }
    const definition = this.#findDefinition(node.expression, expression.file);
    const result = definition && this.#findResult(definition.node);
    if (definition === undefined || result === undefined) return traceCall(expression, steps);
    const calls = [{ file: expression.file, node }, ...expression.calls];
    const found = this.#follow({ file: definition.file, node: result, calls }, steps);
    return found.unresolved < steps.length ? found : traceCall(expression, steps);
  }

  /** The expression that a function returns, if there is exactly one. */
  #findResult(node: ts.Node): ts.Expression | undefined {
    const to = this.#typescript;
    if (to.isArrowFunction(node) && !to.isBlock(node.body)) return node.body;
    const isFunction = to.isFunctionDeclaration(node) || to.isFunctionExpression(node) || to.isArrowFunction(node);
    if (!isFunction || node.body === undefined) return undefined;
    const results: ts.Expression[] = [];
    const visit = (inner: ts.Node): void => {
      if (to.isReturnStatement(inner) && inner.expression !== undefined) results.push(inner.expression);
      if (!to.isFunctionLike(inner)) to.forEachChild(inner, visit);
    };
    to.forEachChild(node.body, visit);
    return results.length === 1 ? results[0] : undefined;
  }

  #traceName(expression: CalledExpression, node: ts.Identifier, steps: MemberSteps): TracedValue {
    const binding = findBinding(node, this.#typescript);
    switch (binding?.type) {
      case 'value': {
        const found = this.#follow({ ...expression, node: binding.value }, [...binding.steps, ...steps]);
        return this.#traceOrFallback(expression, binding, found, steps);
      }
      case 'parameter':
        return this.#traceParameter(expression, binding, steps);
      case 'item':
        return this.#traceItem(expression, binding.list, [...binding.steps, ...steps], steps);
      case 'import': {
        const isWhole = binding.name === '*' && steps.length > 0;
        const [first, ...others] = steps;
        const name = isWhole ? String(first) : binding.name;
        const found = this.#modules.findExport(expression.file, binding.specifier, name);
        return found === undefined
          ? traceCall(expression, steps)
          : this.#traceExport(expression, found, isWhole ? others : steps, steps);
      }
      default:
        return traceCall(expression, steps);
    }
  }

  #traceExport(
    expression: CalledExpression,
    { file, node, steps: inner }: Export,
    rest: MemberSteps,
    steps: MemberSteps,
  ): TracedValue {
    const to = this.#typescript;
    if (to.isFunctionDeclaration(node) || to.isClassLike(node)) return traceCall(expression, steps);
    const found = this.#follow({ file, node, calls: [] }, [...inner, ...rest]);
    return found.unresolved <= rest.length ? found : traceCall(expression, steps);
  }

  #traceParameter(
    expression: CalledExpression,
    binding: Extract<Binding, { type: 'parameter' }>,
    steps: MemberSteps,
  ): TracedValue {
    const calls = listCallsOutside(expression.calls, expression.file, binding.of);
    const [call] = calls;
    const passed =
      call !== undefined && this.#isCallOf(call, binding.of, expression.file)
        ? this.traceArgument(calls, binding.index, [...binding.steps, ...steps])
        : undefined;
    if (passed !== undefined) return this.#traceOrFallback(expression, binding, passed, steps);
    const { fallback } = binding;
    const isLeftOut = call !== undefined && (call.node.arguments?.length ?? 0) <= binding.index;
    if (fallback !== undefined && isLeftOut && binding.steps.length === 0)
      return this.#follow({ ...expression, node: fallback }, steps);
    return traceCall(expression, steps);
  }

  /** The origin of a name with a default, or of a destructured part. */
  #traceOrFallback(
    expression: CalledExpression,
    { fallback }: { readonly fallback: ts.Expression | undefined },
    found: TracedValue,
    steps: MemberSteps,
  ): TracedValue {
    if (found.unresolved <= steps.length) return found;
    if (fallback !== undefined && found.type === 'missing')
      return this.#follow({ ...expression, node: fallback }, steps);
    return traceCall(expression, steps);
  }

  /** Traces a value to the item of a list from which it came, if a loop iterates over the list. */
  #traceItem(expression: CalledExpression, list: ts.Expression, inItem: MemberSteps, steps: MemberSteps): TracedValue {
    const to = this.#typescript;
    const { sourceNode } = this.#follow({ ...expression, node: list }, []);
    const items = to.isArrayLiteralExpression(sourceNode.node)
      ? this.#listItems({ ...expression, file: sourceNode.file, node: sourceNode.node }, sourceNode.node)
      : undefined;
    const fitting = (items ?? [])
      .map(item => this.#follow(item, inItem))
      .filter(found => found.type === 'found' && this.#isValue(found.sourceNode.node));
    const [only] = fitting;
    return only !== undefined && fitting.length === 1 ? only : traceCall(expression, steps);
  }

  #isValue(node: ts.Node): boolean {
    const to = this.#typescript;
    if (to.isStringLiteralLike(node)) return node.text === this.#value;
    if (to.isNumericLiteral(node)) return Number(node.text) === this.#value;
    if (node.kind === to.SyntaxKind.TrueKeyword) return this.#value === true;
    if (node.kind === to.SyntaxKind.FalseKeyword) return this.#value === false;
    return false;
  }

  /** The function or class that a name refers to. */
  #findDefinition(callee: ts.Expression, file: ParsedFile): SourceNode | undefined {
    const to = this.#typescript;
    if (to.isPropertyAccessExpression(callee) && to.isIdentifier(callee.expression)) {
      const holder = findBinding(callee.expression, to);
      if (holder?.type !== 'import' || holder.name !== '*') return undefined;
      return this.#modules.findExport(file, holder.specifier, callee.name.text);
    }
    if (!to.isIdentifier(callee)) return undefined;
    const binding = findBinding(callee, to);
    if (binding?.type === 'import') return this.#modules.findExport(file, binding.specifier, binding.name);
    if (binding?.type === 'function' || binding?.type === 'class') return { file, node: binding.node };
    if (binding?.type !== 'value') return undefined;
    const required = this.#toBare(binding.value);
    const [specifier] = to.isCallExpression(required) ? required.arguments : [];
    const isRequire = to.isCallExpression(required) && required.expression.getText(file.tree) === 'require';
    if (isRequire && specifier !== undefined && to.isStringLiteralLike(specifier))
      return this.#modules.findExport(file, specifier.text, String(binding.steps[0] ?? '*'));
    return binding.steps.length === 0 ? { file, node: required } : undefined;
  }

  #isCallOf(call: PlacedCall, callee: FunctionNode, file: ParsedFile): boolean {
    const to = this.#typescript;
    const { expression } = call.node;
    const isConstructor = to.isConstructorDeclaration(callee);
    if (expression.kind === to.SyntaxKind.SuperKeyword) return isConstructor;
    if (isConstructor !== to.isNewExpression(call.node)) return false;
    const definition = this.#findDefinition(expression, call.file);
    if (definition === undefined) return findLastName(expression, to) === findOwnName(callee, to);
    if (!isConstructor) return definition.node === callee;
    const isInherited =
      to.isClassLike(definition.node) && !definition.node.members.some(member => to.isConstructorDeclaration(member));
    return (definition.node === callee.parent && definition.file.path === file.path) || isInherited;
  }
}

/** Omits the calls inside of a function: returns the remaining calls, from the first one outside of it. */
function listCallsOutside(
  calls: readonly PlacedCall[],
  file: ParsedFile,
  { pos, end }: FunctionNode,
): readonly PlacedCall[] {
  const first = calls.findIndex(call => call.file.path !== file.path || call.node.pos < pos || call.node.end > end);
  return first === -1 ? [] : calls.slice(first);
}

export function findLastName(callee: ts.Expression, to: TypeScript): string | undefined {
  if (to.isIdentifier(callee)) return callee.text;
  return to.isPropertyAccessExpression(callee) ? callee.name.text : undefined;
}

function findOwnName(node: FunctionNode, to: TypeScript): string | undefined {
  if (to.isConstructorDeclaration(node)) return node.parent.name?.text;
  const { parent } = node;
  const name =
    node.name ?? (to.isVariableDeclaration(parent) || to.isPropertyAssignment(parent) ? parent.name : undefined);
  return name !== undefined && to.isIdentifier(name) ? name.text : undefined;
}

/** An expression as the origin of a value, if no member is looked for. A member would be computed. */
function traceCall({ file, node }: CalledExpression, steps: MemberSteps): TracedValue {
  return { type: steps.length === 0 ? 'found' : 'computed', sourceNode: { file, node }, unresolved: steps.length };
}
