import { formatTemplateText, isObject, type TemplateTree } from '#schemas';
import { parseTemplate } from './parse-template.ts';

/**
 * The text of a template, without comments and unneeded spaces. Undefined for a tree without a text that parses to the same tree. So two
 * trees with the same text have the same meaning.
 */
export function printTemplate(tree: unknown): string | undefined {
  try {
    const text = formatTemplateText(tree as TemplateTree);
    const parsed = parseTemplate(text);
    return 'tree' in parsed && formatContent(parsed.tree) === formatContent(tree) ? text : undefined;
  } catch (error) {
    // A bundle that was not built by Lintel may have any value in place of a tree.
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The content of a tree for a comparison: without positions, and with neighbouring texts joined, since a comment between two texts has no effect. */
function formatContent(tree: unknown): string {
  return JSON.stringify(tree, (name, member: unknown) => {
    if (name === 'at') return undefined;
    if (Array.isArray(member)) return joinTexts(member);
    if (!isObject(member)) return member;
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function joinTexts(nodes: readonly unknown[]): readonly unknown[] {
  const joined: unknown[] = [];
  for (const node of nodes) {
    const last = joined.at(-1);
    if (isText(last) && isText(node)) joined[joined.length - 1] = { kind: 'text', text: last.text + node.text };
    else joined.push(node);
  }
  return joined;
}

function isText(node: unknown): node is { readonly kind: 'text'; readonly text: string } {
  return isObject(node) && node.kind === 'text' && typeof node.text === 'string';
}
