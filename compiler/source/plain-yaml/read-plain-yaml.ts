import { MAX_DOCUMENTS_PER_FILE, MAX_VALUES_PER_DOCUMENT } from '../limits.ts';
import { readBlock } from './block.ts';
import { Cursor, DOT, OUTSIDE } from './cursor.ts';
import { SourceMap } from './source-map.ts';

/** A document from the plain reader. */
export type PlainDocument = {
  /** 0-based, counting empty ones. */
  readonly index: number;
  readonly value: unknown;
  /** The index of its root in the text's positions. */
  readonly entry: number;
};

/** The plain reader's result for a text. */
export type PlainText = {
  readonly documents: readonly PlainDocument[];
  readonly places: SourceMap;
};

/** Each value takes at least two characters, so a shorter text cannot exceed the limit on values. */
const MAX_LENGTH = 2 * MAX_VALUES_PER_DOCUMENT;

/** Tabs, carriage returns and other control characters, marks of byte order, and line breaks of Unicode. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNUSUAL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]/;

/**
 * The documents of a text in the YAML that people write: mappings and lists in both styles, scalars in every style, comments. For anything rare,
 * doubtful or wrong it returns `undefined` for the whole text, and the full reader takes over. Its results equal the full reader's exactly; a
 * test compares the two.
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
    // Content without a marker is allowed in the first document and after an end marker.
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
