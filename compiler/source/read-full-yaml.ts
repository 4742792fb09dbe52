import { type Document, isNode, type YAMLWarning } from 'yaml';
import type { PlacedNode } from './locate.ts';
import { ParsedDocument } from './parsed-document.ts';
import { type Problem, toDiagnostic, Unreadable } from './problem.ts';
import type { ReadResult } from './read-result.ts';
import { getRoot, type Roots } from './recent-roots.ts';
import type { SourceDocument } from './source-document.ts';
import type { SourceText } from './source-text.ts';
import { placed } from './yaml-place.ts';
import { parseYamlStream } from './yaml-stream.ts';
import { syntaxProblems } from './yaml-syntax.ts';
import { yamlValue } from './yaml-value.ts';

/**
 * The reader of all of YAML, which also knows what is wrong and where.
 *
 * A document with a syntax error (LNT1001), a duplicate key (LNT1002) or too much in it (LNT1017) is left out; its
 * siblings are read.
 */
export function readFullYaml(source: SourceText): ReadResult {
  const stream = parseYamlStream(source.text);
  const documents: SourceDocument[] = [];
  const problems: Problem[] = [...syntaxProblems(stream.errors, source)];
  for (const [index, parsed] of stream.documents.entries()) {
    const result = readDocument(parsed, source);
    if ('caveats' in result) {
      const { value } = result;
      const caveats = result.caveats.map(caveat => toDiagnostic(caveat, source));
      const root = () => getRoot(source, index, fullRoots);
      if (value !== null) documents.push(new ParsedDocument(source, index, value, caveats, root));
      continue;
    }
    for (const problem of result.problems) problems.push(problem);
  }
  const { stopped } = stream;
  if (stopped) {
    const span = { start: stopped.offset, end: stopped.offset + 1 };
    const message = `${stopped.message}; the rest of the file was not read`;
    problems.push({ code: 'LNT1017', message, span, path: [] });
  }
  return { documents, diagnostics: problems.map(problem => toDiagnostic(problem, source)) };
}

type ReadDocument = {
  readonly value: unknown;
  readonly root: PlacedNode;
  readonly caveats: readonly Problem[];
};

function readDocument(
  parsed: Document.Parsed,
  source: SourceText,
): ReadDocument | { readonly problems: readonly Problem[] } {
  if (parsed.errors.length > 0) return { problems: syntaxProblems(parsed.errors, source, parsed) };
  const node = isNode(parsed.contents) ? parsed.contents : null;
  try {
    const { value, targets, problems, caveats } = yamlValue(node);
    if (problems.length > 0) return { problems };
    const root = node === null ? NOWHERE : placed(node, targets);
    return { value, root, caveats: [...caveats, ...tagCaveats(parsed.warnings)] };
  } catch (error) {
    if (error instanceof Unreadable) return { problems: [error.problem] };
    throw error;
  }
}

const NOWHERE: PlacedNode = { span: { start: 0, end: 0 }, child: () => undefined };

/** The documents of a text to locate in. */
export function fullRoots(source: SourceText): Roots {
  const roots = new Map<number, PlacedNode>();
  for (const [index, parsed] of parseYamlStream(source.text).documents.entries()) {
    const result = readDocument(parsed, source);
    if ('root' in result) roots.set(index, result.root);
  }
  return roots;
}

/** Tags that nothing acts on: fine in other people's files, a mistake in ours. */
function tagCaveats(warnings: readonly YAMLWarning[]): readonly Problem[] {
  return warnings
    .filter(({ code }) => code === 'TAG_RESOLVE_FAILED' || code === 'BAD_COLLECTION_TYPE')
    .map(({ pos: [start, end] }) => ({
      code: 'LNT1008',
      message: 'the YAML tag has no effect: the value is read as if it had none',
      span: { start, end },
      path: [],
    }));
}
