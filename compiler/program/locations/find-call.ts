import type ts from 'typescript';
import type { TypeScript } from './load-typescript.ts';
import type { ParsedFile } from './program-files.ts';

/** A call in a file of the program. */
export interface PlacedCall {
  readonly file: ParsedFile;
  readonly node: ts.CallExpression | ts.NewExpression;
}

/**
 * The call at a stack frame's position, which is that of `new` or of the function's name.
 * @param line 1-based
 * @param column 1-based, in UTF-16 code units
 */
export function findCall(
  file: ParsedFile,
  line: number,
  column: number,
  typescript: TypeScript,
): PlacedCall | undefined {
  const start = file.source.line(line);
  if (start === undefined) return undefined;
  const offset = Math.min(start.offset + column - 1, start.offset + start.text.length);
  let found: PlacedCall['node'] | undefined;
  const visit = (node: ts.Node): void => {
    if (offset < node.getStart(file.tree) || offset >= node.end) return;
    const isCall = typescript.isCallExpression(node) || typescript.isNewExpression(node);
    // A position inside of the arguments belongs to another call.
    if (isCall && offset < node.expression.end) found = node;
    typescript.forEachChild(node, visit);
  };
  visit(file.tree);
  return found && { file, node: found };
}

/** The beginning of a call, such as `new TeamGateway`: the whole call can be hundreds of lines long. */
export function findCallHead({ file, node }: PlacedCall, typescript: TypeScript): { start: number; end: number } {
  const { expression } = node;
  const { end } = expression;
  if (typescript.isNewExpression(node)) return { start: node.getStart(file.tree), end };
  const isChained = typescript.isPropertyAccessExpression(expression) && !isPlain(expression.expression, typescript);
  return { start: (isChained ? expression.name : expression).getStart(file.tree), end };
}

function isPlain(node: ts.Expression, typescript: TypeScript): boolean {
  return typescript.isIdentifier(node) || node.kind === typescript.SyntaxKind.ThisKeyword;
}
