import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { SourceLine } from '../diagnostics/render/frame.ts';
import { type DecodedFile, decode, tooLarge, unreadable } from './decode.ts';
import { describeFileError, type FoundFile } from './find-files.ts';
import { MAX_FILE_BYTES } from './limits.ts';
import { readBytes } from './read-bytes.ts';
import type { ReadResult } from './read-result.ts';
import { readText } from './read-text.ts';
import { isRedacted } from './redacted-lines.ts';
import type { SourceDocument } from './source-document.ts';
import type { SourceText } from './source-text.ts';

/** All that was read for one compilation. */
export type Sources = {
  /** In the order of the files and their texts. */
  readonly documents: readonly SourceDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** What is known of documents that could not be read: which objects they describe. */
  readonly leftOut?: readonly SourceDocument[];
  /** Texts by the name shown, files of registry entries among them; files that cannot be read have none. */
  readonly texts: ReadonlyMap<string, SourceText>;
  /** Files of registry entries that were not read, by the name shown, with the reason: the end of a sentence. */
  readonly refused?: ReadonlyMap<string, string>;
  /** Whether a line of a file, from 1 on, is part of what was read: a program may have left it out this time. All of them when not given. */
  readonly wasRun?: (file: string, line: number) => boolean;
  /** How many files there were, readable or not. */
  readonly files: number;
  /** The files that were named, rather than found in a folder. */
  readonly named: ReadonlySet<string>;
  /** False when something was not read, whole or in part; then the exit code is 3. */
  readonly complete: boolean;
};

/** Turns a text into documents. They belong to the text next to them, which may be an earlier one that is equal. */
export type ReadFile = (source: SourceText) => { readonly source: SourceText; readonly read: ReadResult };

const readFresh: ReadFile = source => ({ source, read: readText(source) });

/**
 * Reads found files. Each mistake is a diagnostic and stops its own document or file.
 *
 * @param readStdin undefined from it: there is more than the limit
 * @param texts that are no files, such as objects of a cluster; they come last
 */
export function readSources(
  files: readonly FoundFile[],
  readStdin: () => Uint8Array | undefined,
  open: ReadFile = readFresh,
  texts: readonly SourceText[] = [],
): Sources {
  const named = files.filter(({ isNamed }) => isNamed === true).map(({ path }) => path);
  const read = readAll([...files.map(file => decodeFile(file, readStdin)), ...texts.map(source => ({ source }))], open);
  return { ...read, named: new Set(named) };
}

/** The same for texts that are already in memory, such as in tests and editors. */
export function readTexts(texts: readonly SourceText[], open: ReadFile = readFresh): Sources {
  return readAll(
    texts.map(source => ({ source })),
    open,
  );
}

/**
 * A line for a code frame, unless it holds a secret.
 *
 * @param line - 1-based.
 */
export function findLine(sources: Sources, file: string, line: number): SourceLine | undefined {
  // What a program stands for is in no file, but has a text.
  const source = sources.texts.get(file) ?? sources.documents.find(document => document.file === file)?.source;
  return source === undefined || isRedacted(sources.documents, source, line) ? undefined : source.line(line);
}

function readAll(decoded: readonly DecodedFile[], open: ReadFile): Sources {
  const documents: SourceDocument[] = [];
  const leftOut: SourceDocument[] = [];
  const diagnostics: Diagnostic[] = [];
  const texts = new Map<string, SourceText>();
  for (const result of decoded) {
    if ('diagnostic' in result) {
      diagnostics.push(result.diagnostic);
      continue;
    }
    const { source, read } = open(result.source);
    texts.set(source.file, source);
    // One by one: a call cannot have arbitrarily many arguments.
    for (const document of read.documents) documents.push(document);
    for (const document of read.leftOut ?? []) leftOut.push(document);
    for (const found of read.diagnostics) diagnostics.push(found);
  }
  const complete = !diagnostics.some(({ code }) => code === 'LNT1017' || code === 'LNT1018');
  return { documents, leftOut, diagnostics, texts, files: decoded.length, named: new Set(), complete };
}

/** The text of one file. */
export function decodeFile({ path, absolute }: FoundFile, readStdin: () => Uint8Array | undefined): DecodedFile {
  try {
    const bytes = absolute === null ? readStdin() : readBytes(absolute, MAX_FILE_BYTES);
    return bytes === undefined ? { diagnostic: tooLarge(path) } : decode(path, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return { diagnostic: unreadable(path, describeFileError(error)) };
  }
}
