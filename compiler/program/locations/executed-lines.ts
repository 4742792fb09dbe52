import type ts from 'typescript';
import type { SynthesizedChart } from '../synthesized.ts';
import type { ProgramContext } from './call-site-locator.ts';
import type { TypeScript } from './load-typescript.ts';
import type { ParsedFile } from './program-files.ts';

/**
 * Which lines of a program were executed, judging by its objects: a function body, branch or loop was executed if a call in it led to an object.
 * Code outside of these is executed with its file.
 */
export class ExecutedLines {
  readonly #context: ProgramContext;
  readonly #charts: readonly SynthesizedChart[];
  #called: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(context: ProgramContext, charts: readonly SynthesizedChart[]) {
    this.#context = context;
    this.#charts = charts;
  }

  /**
   * @param path absolute
   * @param line 1-based
   */
  has(path: string, line: number): boolean {
    const { files } = this.#context;
    const { typescript } = files;
    const file = typescript && files.parse(path);
    const start = file?.source.line(line);
    if (typescript === undefined || file === undefined || start === undefined) return true;
    const region = findRegionAt(file, start.offset + start.text.search(/\S|$/), typescript);
    if (region === undefined) return true;
    this.#called ??= this.#collectCallOffsets();
    return (this.#called.get(path) ?? []).some(offset => offset >= region.pos && offset < region.end);
  }

  /** The offsets of all calls that led to objects, by file. */
  #collectCallOffsets(): ReadonlyMap<string, readonly number[]> {
    const { files, calls } = this.#context;
    const objects = this.#charts.flatMap(chart => chart.objects);
    const callSites = objects.flatMap(({ origins, patches }) =>
      [...origins, ...patches].flatMap(value => value.callSite ?? []),
    );
    // Most stacks have most of their frames in common, so each frame is located only once.
    const frames = new Map(
      callSites.flatMap(callSiteFrames => callSiteFrames.frames.map(frame => [`${frame.line}:${frame.column}`, frame])),
    );
    const offsets = new Map<string, number[]>();
    for (const { file, line, column } of calls.listPlaces([...frames.values()])) {
      const found = files.text(file).line(line);
      if (found !== undefined) offsets.set(file, [...(offsets.get(file) ?? []), found.offset + column - 1]);
    }
    return offsets;
  }
}

/** The innermost region around a position that may be skipped at run time. */
function findRegionAt({ tree }: ParsedFile, offset: number, to: TypeScript): ts.Node | undefined {
  let region: ts.Node | undefined;
  const visit = (node: ts.Node): void => {
    if (offset < node.pos || offset >= node.end) return;
    if (mayBeLeftOut(node, to)) region = node;
    to.forEachChild(node, visit);
  };
  visit(tree);
  return region;
}

function mayBeLeftOut(node: ts.Node, to: TypeScript): boolean {
  const { parent } = node;
  if (parent === undefined) return false;
  if (to.isFunctionLike(parent)) return (parent as ts.FunctionLikeDeclaration).body === node;
  if (to.isIfStatement(parent)) return parent.expression !== node;
  if (to.isConditionalExpression(parent)) return parent.condition !== node;
  if (to.isBinaryExpression(parent)) {
    const { AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken } = to.SyntaxKind;
    const isChoice = [AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken].some(
      kind => kind === parent.operatorToken.kind,
    );
    return isChoice && parent.right === node;
  }
  if (to.isCaseClause(node) || to.isDefaultClause(node) || to.isCatchClause(node)) return true;
  const isLoop =
    to.isForStatement(parent) ||
    to.isForOfStatement(parent) ||
    to.isForInStatement(parent) ||
    to.isWhileStatement(parent) ||
    to.isDoStatement(parent);
  return isLoop && parent.statement === node;
}
