/** Mutations of a source text: each breaks one thing, which a test has to detect. */
import ts from 'typescript';

export interface Mutation {
  readonly file: string;
  /** Line of the first replaced character; from 1. */
  readonly line: number;
  readonly kind: 'flip a condition' | 'swap && and ||' | 'drop a call';
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** All mutations of a file, in the order of their places. */
export function findMutations(file: string, text: string): readonly Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const add = (node: ts.Node, kind: Mutation['kind'], replacement: string): void => {
    const start = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ file, line, kind, start, end: node.getEnd(), replacement });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isIfStatement(node)) add(node.expression, 'flip a condition', negated(node.expression, source));
    else if (ts.isConditionalExpression(node)) add(node.condition, 'flip a condition', negated(node.condition, source));
    else if (ts.isBinaryExpression(node)) {
      const swapped = SWAPPED.get(node.operatorToken.kind);
      if (swapped !== undefined) add(node.operatorToken, 'swap && and ||', swapped);
    } else if (ts.isExpressionStatement(node) && isCall(node.expression)) add(node, 'drop a call', ';');
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

const SWAPPED: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
]);

function negated(condition: ts.Expression, source: ts.SourceFile): string {
  return `!(${condition.getText(source)})`;
}

/** Calls of `super` are kept: without them a class throws when it is constructed. */
function isCall(expression: ts.Expression): boolean {
  const inner =
    ts.isAwaitExpression(expression) || ts.isVoidExpression(expression) ? expression.expression : expression;
  return ts.isCallExpression(inner) && inner.expression.kind !== ts.SyntaxKind.SuperKeyword;
}

export function applyMutation(text: string, { start, end, replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** The same seed selects the same mutations from the same list. */
export function chooseMutations(all: readonly Mutation[], count: number, seed: number): readonly Mutation[] {
  const left = [...all];
  const random = randomNumbers(seed);
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(Math.floor(random() * left.length), 1))
    .flat()
    .toSorted((a, b) => (a.file === b.file ? a.start - b.start : a.file < b.file ? -1 : 1));
}

/** Mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
