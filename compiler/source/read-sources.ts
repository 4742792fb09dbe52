import { describeFileError } from '#shared/util';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { SourceLine } from '../diagnostics/render/frame.ts';
import { type DecodedFile, decode, reportTooLarge, reportUnreadable } from './decode.ts';
import type { FoundFile } from './find-files.ts';
import { MAX_FILE_BYTES } from './limits.ts';
import { readBytes } from './read-bytes.ts';
import type { ReadResult } from './read-result.ts';
import { readText } from './read-text.ts';
import { isRedacted } from './redacted-lines.ts';
import type { SourceDocument } from './source-document.ts';
import type { SourceText } from './source-text.ts';

/** Everything that was read for one compilation. */
export type Sources = {
  /** In the order of files and texts. */
  readonly documents: readonly SourceDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** The identities of unreadable documents. */
  readonly leftOut?: readonly SourceDocument[];
  /** Texts by the path that messages show, including files of registry entries. Unreadable files have no text. */
  readonly texts: ReadonlyMap<string, SourceText>;
  /** The reasons why files of registry entries were not read, as ends of sentences, by the path that messages show. */
  readonly refused?: ReadonlyMap<string, string>;
  /** Whether a line of a file, from 1, was part of this reading: a program may have skipped it. Default: all lines. */
  readonly wasRun?: (file: string, line: number) => boolean;
  /** The number of files, readable or not. */
  readonly files: number;
  /** Files that were arguments, as opposed to found in a folder. */
  readonly named: ReadonlySet<string>;
  /** False when a source was not read completely; the exit code is then 3. */
  readonly complete: boolean;
};

/** Parses a text into documents. The documents belong to the returned text, which may be an equal text of an earlier call. */
export type ReadFile = (source: SourceText) => { readonly source: SourceText; readonly read: ReadResult };

const readFresh: ReadFile = source => ({ source, read: readText(source) });

/**
 * Reads found files. Each mistake becomes a diagnostic and affects only its own document or file.
 *
 * @param readStdin returns undefined when the input exceeds the limit
 * @param texts without files, such as objects of a cluster; they come last
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

/** Does the same as {@link readSources} for texts in memory, for example in tests and editors. */
export function readTexts(texts: readonly SourceText[], open: ReadFile = readFresh): Sources {
  return readAll(
    texts.map(source => ({ source })),
    open,
  );
}

/**
 * A line for a code frame, unless it contains a secret.
 * @param line - 1-based.
 */
export function findLine(sources: Sources, file: string, line: number): SourceLine | undefined {
  // The generated YAML of a program has a text but no file.
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
    // The findings are added one by one: a call cannot have arbitrarily many arguments.
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
    return bytes === undefined ? { diagnostic: reportTooLarge(path) } : decode(path, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return { diagnostic: reportUnreadable(path, describeFileError(error)) };
  }
}
