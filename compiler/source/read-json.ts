import { getMember } from '#schemas';
import { type JsonNode, JsonParser } from './json-parser.ts';
import { listIdentities } from './list-identities.ts';
import type { PlacedNode } from './locate.ts';
import { ParsedDocument } from './parsed-document.ts';
import { toDiagnostic, UnreadableError } from './problem.ts';
import type { ReadResult } from './read-result.ts';
import { getRoot, type Roots } from './root-cache.ts';
import type { SourceDocument } from './source-document.ts';
import type { SourceText } from './source-text.ts';

/**
 * Parses a JSON text (RFC 8259) as one document, or none for white space. Findings as for YAML, except that the first syntax error ends the
 * file.
 */
export function readJson(source: SourceText): ReadResult {
  const parser = new JsonParser(source.text);
  try {
    const root = parser.parse();
    if (root === undefined || root.value === null) return { documents: [], diagnostics: [] };
    if (parser.problems.length > 0)
      return {
        documents: [],
        leftOut: listLeftOut(root, source),
        diagnostics: parser.problems.map(problem => toDiagnostic(problem, source)),
      };
    const caveats = parser.caveats.map(caveat => toDiagnostic(caveat, source));
    const document = new ParsedDocument(source, 0, root.value, caveats, () => getRoot(source, 0, readRoots));
    return { documents: [document], diagnostics: [] };
  } catch (error) {
    if (error instanceof UnreadableError) return { documents: [], diagnostics: [toDiagnostic(error.problem, source)] };
    throw error;
  }
}

/** The identities of a document with a duplicate key: by the first and by the last of each name. */
function listLeftOut(root: JsonNode, source: SourceText): readonly SourceDocument[] {
  const identities = [
    ...listIdentities(root, {
      member: (node, name) => node.members?.get(name)?.node,
      items: node => node.items ?? [],
      text: ({ value }) => (typeof value === 'string' ? value : undefined),
    }),
    ...listIdentities<unknown>(root.value, {
      member: getMember,
      items: value => (Array.isArray(value) ? value : []),
      text: value => (typeof value === 'string' ? value : undefined),
    }),
  ];
  return identities.map(identity => new ParsedDocument(source, 0, identity, [], () => toPlacedNode(root)));
}

function readRoots({ text }: SourceText): Roots {
  const root = new JsonParser(text).parse();
  return new Map(root === undefined ? [] : [[0, toPlacedNode(root)]]);
}

function toPlacedNode(node: JsonNode): PlacedNode {
  return {
    span: node.span,
    child(step) {
      const member = node.members?.get(String(step));
      if (member) return { key: member.key, node: toPlacedNode(member.node) };
      const item = node.items?.[Number(step)];
      return item && { node: toPlacedNode(item) };
    },
  };
}
