import { isDeepStrictEqual } from 'node:util';
import type { Compilation, CompileOptions } from '../compile/compilation.ts';
import { compile } from '../compile.ts';
import type { FoundFile } from '../source/find-files.ts';
import { type ReadFile, readSources, readTexts, type Sources } from '../source/read-sources.ts';
import { readText } from '../source/read-text.ts';
import type { SourceText } from '../source/source-text.ts';
import { MemoizedQueries } from './memoized-queries.ts';

/** Reads and compiles. The same sources give the same result, independent of earlier compilations. */
export interface Compiler {
  /** @param texts without files; they come last */
  readSources(
    files: readonly FoundFile[],
    readStdin: () => Uint8Array | undefined,
    texts?: readonly SourceText[],
  ): Sources;
  readTexts(texts: readonly SourceText[]): Sources;
  compile(sources: Sources, options: CompileOptions): Compilation;
}

/** Compiles everything each time. */
export const FRESH_COMPILER: Compiler = {
  readSources: (files, readStdin, texts) => readSources(files, readStdin, undefined, texts),
  readTexts,
  compile,
};

/**
 * A compiler for sources that change little between compilations. A file with the same text is not parsed again, its documents are not
 * checked again, and an object is evaluated and lowered again only when the result of one of its queries about other objects changed.
 *
 * @param textFor returns a text that replaces the content of a file
 */
export function createCompiler(textFor: (source: SourceText) => SourceText = source => source): Compiler {
  let memory = new MemoizedQueries();
  let before: { readonly sources: Sources; readonly options: CompileOptions; readonly result: Compilation } | undefined;
  const read = rememberTexts(textFor);
  return {
    readSources: (files, readStdin, texts) => read(open => readSources(files, readStdin, open, texts)),
    readTexts: texts => read(open => readTexts(texts, open)),
    compile(sources, options) {
      const isSameQuestion =
        isDeepStrictEqual(getOrCreateMemory(options), before && getOrCreateMemory(before.options)) &&
        // Whether the user named the file affects how it is read.
        isDeepStrictEqual(sources.named, before?.sources.named);
      if (!isSameQuestion) memory = new MemoizedQueries();
      else if (!isDeepStrictEqual(options.origin, before?.options.origin)) memory.forget('lowered');
      else if (
        before !== undefined &&
        isUnchanged(sources, before.sources) &&
        isDeepStrictEqual(options, before.options)
      )
        return before.result;
      const result = compile(sources, options, memory);
      before = { sources, options, result };
      return result;
    },
  };
}

/**
 * The options that cached results depend on. The revision only affects bundles. The date and a project's settings for findings are applied last
 * and every time, because the controller checks out each revision into another folder.
 */
function getOrCreateMemory({ origin: _, today: __, project, ...others }: CompileOptions): object {
  return { ...others, apiGroups: project?.apiGroups };
}

function isUnchanged(now: Sources, before: Sources): boolean {
  const { documents, texts, ...others } = now;
  const { documents: documentsBefore, texts: textsBefore, ...othersBefore } = before;
  const isSameList =
    documents.length === documentsBefore.length && documents.every((it, at) => it === documentsBefore[at]);
  const areSameTexts =
    texts.size === textsBefore.size && [...texts].every(([file, text]) => textsBefore.get(file) === text);
  return isSameList && areSameTexts && isDeepStrictEqual(others, othersBefore);
}

/** Returns the cached documents of a file with the same name and text. */
function rememberTexts(textFor: (source: SourceText) => SourceText): (readAll: (open: ReadFile) => Sources) => Sources {
  let known = new Map<string, ReturnType<ReadFile>>();
  return readAll => {
    const current = new Map<string, ReturnType<ReadFile>>();
    const sources = readAll(sourceText => {
      const source = textFor(sourceText);
      const before = known.get(source.file);
      const isSame = before?.source.text === source.text && before.source.startsWithMark === source.startsWithMark;
      const result = before !== undefined && isSame ? before : { source, read: readText(source) };
      current.set(source.file, result);
      return result;
    });
    known = current;
    return sources;
  };
}
