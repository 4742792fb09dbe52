import { type Document, isNode, type YAMLWarning } from 'yaml';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { ParsedDocument } from './parsed-document.ts';
import { type Problem, toDiagnostic, Unreadable } from './problem.ts';
import type { ReadResult } from './read-result.ts';
import type { SourceDocument } from './source-document.ts';
import type { SourceText } from './source-text.ts';
import { placed } from './yaml-place.ts';
import { parseYamlStream } from './yaml-stream.ts';
import { syntaxProblems } from './yaml-syntax.ts';
import { yamlValue } from './yaml-value.ts';

/**
 * Reads the documents of a YAML 1.2 text: `no` and timestamps are strings, merge keys are followed, keys are strings.
 * A document with a syntax error (LNT1001), a duplicate key (LNT1002) or too much in it (LNT1017) is left out; its
 * siblings are read.
 */
export function readYaml(source: SourceText): ReadResult {
  const stream = parseYamlStream(source.text);
  const documents: SourceDocument[] = [];
  const problems: Problem[] = [...syntaxProblems(stream.errors, source)];
  for (const [index, parsed] of stream.documents.entries()) {
    const result = readDocument(parsed, index, source);
    if (!('problems' in result)) {
      if (result.value !== null) documents.push(result);
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

function readDocument(
  parsed: Document.Parsed,
  index: number,
  source: SourceText,
): SourceDocument | { readonly problems: readonly Problem[] } {
  if (parsed.errors.length > 0) return { problems: syntaxProblems(parsed.errors, source, parsed) };
  const root = isNode(parsed.contents) ? parsed.contents : null;
  try {
    const { value, targets, problems, caveats } = yamlValue(root);
    if (problems.length > 0) return { problems };
    const doubts: Diagnostic[] = [...caveats, ...tagCaveats(parsed.warnings)].map(it => toDiagnostic(it, source));
    return new ParsedDocument(source, index, value, doubts, () =>
      root === null ? { span: { start: 0, end: 0 }, child: () => undefined } : placed(root, targets),
    );
  } catch (error) {
    if (error instanceof Unreadable) return { problems: [error.problem] };
    throw error;
  }
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
