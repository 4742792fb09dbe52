/** Finds the position for a completion in a text that is being typed, and so is invalid at that position. */
import { isMap, isScalar, isSeq, type Node, type Pair, parseAllDocuments, type Scalar } from 'yaml';
import type { Path } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';
import { findObject } from './locate-node.ts';

export interface CompletionContext {
  readonly kind: string;
  /** The path of the value, or of the object that gets a key. */
  readonly path: Path;
  readonly part: 'key' | 'value';
  /** Existing keys of the object. */
  readonly siblings: readonly string[];
  /** Whether the key has its colon. */
  readonly hasColon: boolean;
  /** Offsets of the replaced word. */
  readonly start: number;
  readonly end: number;
  readonly root: Node;
}

/** A placeholder for the word, so that the text can be parsed. */
const MARK = 'lintel0completion0mark';

const WORD_BEFORE = /[\w./-]*$/;
const WORD_AFTER = /^[\w./-]*/;
const KEY_IN_BLOCK = /^[ \t]*(?:- +)*$/;
const KEY_IN_FLOW = /[{,][ \t]*["']?$/;

export function findCompletionContext(source: SourceText, offset: number): CompletionContext | undefined {
  const { text, file } = source;
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const start = offset - (WORD_BEFORE.exec(text.slice(lineStart, offset))?.[0].length ?? 0);
  const end = offset + (WORD_AFTER.exec(text.slice(offset))?.[0].length ?? 0);
  const before = text.slice(lineStart, start);
  const rest = text.slice(end, text.indexOf('\n', end) === -1 ? undefined : text.indexOf('\n', end));
  const hasColon = /^["']?[ \t]*:(?:[ \t]|$)/.test(rest);
  const isKey = hasColon || KEY_IN_BLOCK.test(before) || KEY_IN_FLOW.test(before);
  const quote = /["']$/.exec(before)?.[0] ?? '';
  const isOpen = quote !== '' && !rest.startsWith(quote);
  const inserted = isKey && !hasColon ? `${MARK}${isOpen ? quote : ''}: null` : `${MARK}${isOpen ? quote : ''}`;
  // A quoted key without a colon ends at its existing quote.
  const patched =
    isKey && !hasColon && quote !== '' && !isOpen
      ? `${text.slice(0, end)}${MARK}${quote}: null${text.slice(end + 1)}`
      : `${text.slice(0, start)}${inserted}${text.slice(end)}`;
  const documents = parseAllDocuments(patched, { logLevel: 'silent', uniqueKeys: false });
  if (!Array.isArray(documents)) return undefined;
  for (const { contents } of documents as readonly { contents: Node | null }[]) {
    const found = contents === null ? undefined : find(contents, []);
    if (contents === null || found === undefined) continue;
    const { kind, path, root } = findObject(file, contents, found.path);
    return { kind, root, path, part: found.part, siblings: found.siblings, hasColon, start, end };
  }
  return undefined;
}

type FoundPart = Pick<CompletionContext, 'path' | 'part' | 'siblings'>;

function find(node: Node, path: Path): FoundPart | undefined {
  if (isMap(node)) {
    const pairs = node.items as Pair<Scalar, Node | null>[];
    const names = pairs.map(({ key }) => String(key.value));
    for (const { key, value } of pairs) {
      if (String(key.value).endsWith(MARK))
        return { path, part: 'key', siblings: names.filter(name => !name.endsWith(MARK)) };
      const found = value === null ? undefined : find(value, [...path, String(key.value)]);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isSeq(node)) {
    for (const [index, item] of (node.items as (Node | null)[]).entries()) {
      const found = item === null ? undefined : find(item, [...path, index]);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const isHere = isScalar(node) && typeof node.value === 'string' && node.value.includes(MARK);
  return isHere ? { path, part: 'value', siblings: [] } : undefined;
}
