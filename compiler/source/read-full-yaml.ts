import { type Document, isMap, isNode, isPair, isScalar, isSeq, type YAMLWarning } from 'yaml';
import { listIdentities, type NodeAccess } from './list-identities.ts';
import type { PlacedNode } from './locate.ts';
import { ParsedDocument } from './parsed-document.ts';
import { type ReaderProblem, toDiagnostic, UnreadableError } from './problem.ts';
import type { ReadResult } from './read-result.ts';
import { getRoot, type Roots } from './root-cache.ts';
import type { SourceDocument } from './source-document.ts';
import type { SourceText } from './source-text.ts';
import { toPlacedNode } from './yaml-location.ts';
import { parseYamlStream } from './yaml-stream.ts';
import { listSyntaxProblems } from './yaml-syntax.ts';
import { toYamlValue } from './yaml-value.ts';

/**
 * The full YAML reader, with exact error positions.
 *
 * A document with a syntax error (LNT1001), a duplicate key (LNT1002) or an exceeded limit (LNT1017) is dropped, except for the identity of its
 * object; other documents are read.
 */
export function readFullYaml(source: SourceText): ReadResult {
  const stream = parseYamlStream(source.text);
  const documents: SourceDocument[] = [];
  const leftOut: SourceDocument[] = [];
  const problems: ReaderProblem[] = [...listSyntaxProblems(stream.errors, source)];
  for (const [index, parsed] of stream.documents.entries()) {
    const result = readDocument(parsed, source);
    if ('caveats' in result) {
      const { value } = result;
      const caveats = result.caveats.map(caveat => toDiagnostic(caveat, source));
      const root = () => getRoot(source, index, readFullRoots);
      if (value !== null) documents.push(new ParsedDocument(source, index, value, caveats, root));
      continue;
    }
    for (const problem of result.problems) problems.push(problem);
    for (const identity of READINGS.flatMap(access => listIdentities<unknown>(parsed.contents, access)))
      leftOut.push(new ParsedDocument(source, index, identity, [], () => NOWHERE));
  }
  const { stopped } = stream;
  if (stopped) {
    const span = { start: stopped.offset, end: stopped.offset + 1 };
    const message = `${stopped.message}; the rest of the file was not read`;
    problems.push({ code: 'LNT1017', message, span, path: [] });
  }
  return { documents, leftOut, diagnostics: problems.map(problem => toDiagnostic(problem, source)) };
}

/** Either of two values with the same key may be the intended one. */
const READINGS: readonly NodeAccess<unknown>[] = [
  { member: (node, name) => findMembersNamed(node, name).at(0), items: listItems, text: findText },
  { member: (node, name) => findMembersNamed(node, name).at(-1), items: listItems, text: findText },
];

/** Finds members by name in a document with errors, whose nodes may have any form. */
function findMembersNamed(node: unknown, name: string): readonly unknown[] {
  if (!isMap(node)) return [];
  return node.items.flatMap(pair =>
    isPair(pair) && isScalar(pair.key) && pair.key.value === name && pair.value !== null ? [pair.value] : [],
  );
}

function listItems(node: unknown): readonly unknown[] {
  return isSeq(node) ? node.items : [];
}

function findText(node: unknown): string | undefined {
  return isScalar(node) && typeof node.value === 'string' ? node.value : undefined;
}

type ReadDocument = {
  readonly value: unknown;
  readonly root: PlacedNode;
  readonly caveats: readonly ReaderProblem[];
};

function readDocument(
  parsed: Document.Parsed,
  source: SourceText,
): ReadDocument | { readonly problems: readonly ReaderProblem[] } {
  if (parsed.errors.length > 0) return { problems: listSyntaxProblems(parsed.errors, source, parsed) };
  const node = isNode(parsed.contents) ? parsed.contents : null;
  try {
    const { value, targets, problems, caveats } = toYamlValue(node);
    if (problems.length > 0) return { problems };
    const root = node === null ? NOWHERE : toPlacedNode(node, targets);
    return { value, root, caveats: [...caveats, ...listTagCaveats(parsed.warnings)] };
  } catch (error) {
    if (error instanceof UnreadableError) return { problems: [error.problem] };
    throw error;
  }
}

const NOWHERE: PlacedNode = { span: { start: 0, end: 0 }, child: () => undefined };

/** The documents of a text, for locating values. */
export function readFullRoots(source: SourceText): Roots {
  const roots = new Map<number, PlacedNode>();
  for (const [index, parsed] of parseYamlStream(source.text).documents.entries()) {
    const result = readDocument(parsed, source);
    if ('root' in result) roots.set(index, result.root);
  }
  return roots;
}

/** Unknown tags: harmless in foreign documents, an error in Lintel's. */
function listTagCaveats(warnings: readonly YAMLWarning[]): readonly ReaderProblem[] {
  return warnings
    .filter(({ code }) => code === 'TAG_RESOLVE_FAILED' || code === 'BAD_COLLECTION_TYPE')
    .map(({ pos: [start, end] }) => ({
      code: 'LNT1008',
      message: 'the YAML tag has no effect: the value is read as if it had none',
      span: { start, end },
      path: [],
    }));
}
