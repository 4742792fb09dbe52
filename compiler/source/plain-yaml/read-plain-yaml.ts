import { MAX_DOCUMENTS_PER_FILE, MAX_VALUES_PER_DOCUMENT } from '../limits.ts';
import { readBlock } from './block.ts';
import { Cursor, DOT, OUTSIDE } from './cursor.ts';
import { SourceMap } from './places.ts';

/** A document as the plain reader gives it. */
export type PlainDocument = {
  /** 0-based, counting empty ones. */
  readonly index: number;
  readonly value: unknown;
  /** The index of its root among the places of the text. */
  readonly entry: number;
};

/** What the plain reader finds in a text. */
export type PlainText = {
  readonly documents: readonly PlainDocument[];
  readonly places: SourceMap;
};

/** Each value takes at least two characters, so a shorter text cannot pass the limit. */
const MAX_LENGTH = 2 * MAX_VALUES_PER_DOCUMENT;

/** Tabs, carriage returns and other control characters, marks of byte order, and line breaks of Unicode. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNUSUAL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]/;

/**
 * The documents of a text in the YAML that people write: mappings and lists in both styles, scalars in every style,
 * comments. Everything that is rare, doubtful or wrong is not for this reader: it gives `undefined` for the whole text, and
 * the full one judges it. What it does read, it reads exactly as the full reader does; a test holds the two against
 * each other.
 */
export function readPlainYaml(text: string): PlainText | undefined {
  if (text.length > MAX_LENGTH || UNUSUAL.test(text) || !text.isWellFormed()) return undefined;
  try {
    const cursor = new Cursor(text);
    const documents = readDocuments(cursor);
    return { documents, places: new SourceMap(text, cursor.places.finish(text)) };
  } catch (error) {
    if (error === OUTSIDE) return undefined;
    throw error;
  }
}

function readDocuments(cursor: Cursor): readonly PlainDocument[] {
  const documents: PlainDocument[] = [];
  let count = 0;
  cursor.findContent();
  while (cursor.at < cursor.text.length) {
    // Content without a marker before it is for the first document and for those after an end marker.
    if (cursor.column === -1) {
      if (cursor.code === DOT) cursor.refuse();
      cursor.at += 3;
      cursor.finishLine();
    }
    if (cursor.column !== -1) documents.push(readDocument(cursor, count));
    count += 1;
    if (cursor.column !== -1 || documents.length >= MAX_DOCUMENTS_PER_FILE) cursor.refuse();
    if (cursor.code === DOT) {
      cursor.at += 3;
      cursor.finishLine();
      if (cursor.code === DOT) cursor.refuse();
    }
  }
  return documents;
}

function readDocument(cursor: Cursor, index: number): PlainDocument {
  if (cursor.column !== 0) cursor.refuse();
  const entry = cursor.places.open();
  const value = readBlock(cursor, 0);
  cursor.places.close(entry, cursor.start, cursor.end);
  return { index, value, entry };
}
