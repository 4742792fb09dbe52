/** Maps stack frames to calls in the program's own files. */
import { SourceMap, type SourceMapPayload } from 'node:module';
import type { Location } from '../../source/source-document.ts';
import type { Frame } from '../synthesized.ts';
import { findCall, findCallHead, type PlacedCall } from './find-call.ts';
import { isOwnFile } from './own-files.ts';
import type { ProgramFiles } from './program-files.ts';

/** A position in a file: line from 1, column from 1 in UTF-16 code units. */
interface OriginalPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The calls behind the stack frames of one bundle. */
export class BundleCalls {
  readonly #files: ProgramFiles;
  readonly #payload: unknown;
  readonly #inputs: ReadonlySet<string>;
  readonly #isOwn = new Map<string, boolean>();
  #map: SourceMap | undefined;

  /** @param inputs the files of the bundle outside of packages; absolute, as are the `sources` of the source map */
  constructor(files: ProgramFiles, inputs: readonly string[], sourceMap: unknown) {
    this.#files = files;
    this.#inputs = new Set(inputs);
    this.#payload = sourceMap;
  }

  /** The calls in the program's own files, innermost first. Empty without TypeScript. */
  listCalls(frames: readonly Frame[]): readonly PlacedCall[] {
    const { typescript } = this.#files;
    if (typescript === undefined) return [];
    return this.listPlaces(frames).flatMap(({ file, line, column }) => {
      const parsed = this.#files.parse(file);
      return (parsed && findCall(parsed, line, column, typescript)) ?? [];
    });
  }

  /** The beginnings of the calls, as ranges. */
  listLocations(frames: readonly Frame[]): readonly Location[] {
    const { typescript } = this.#files;
    if (typescript === undefined) return this.listPlaces(frames).map(original => this.#findWord(original));
    return this.listCalls(frames).map(call => {
      const { start, end } = findCallHead(call, typescript);
      return { source: call.file.source, range: call.file.source.range(start, end) };
    });
  }

  /** The positions of frames in the program's own files. */
  listPlaces(frames: readonly Frame[]): readonly OriginalPlace[] {
    return frames.flatMap(frame => {
      const original = this.#findOriginal(frame);
      return original !== undefined && this.#isOwnFile(original.file) ? [original] : [];
    });
  }

  #findOriginal({ line, column }: Frame): OriginalPlace | undefined {
    this.#map ??= new SourceMap(this.#payload as SourceMapPayload);
    const entry = this.#map.findEntry(line - 1, column - 1);
    if (!('originalSource' in entry) || entry.originalSource === undefined) return undefined;
    return { file: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
  }

  #isOwnFile(file: string): boolean {
    const known = this.#isOwn.get(file);
    if (known !== undefined) return known;
    const isOwn = this.#inputs.has(file) && isOwnFile(file, this.#files.text(file).text);
    this.#isOwn.set(file, isOwn);
    return isOwn;
  }

  /** The word at a frame's position, for a file without a syntax tree. */
  #findWord({ file, line, column }: OriginalPlace): Location {
    const source = this.#files.text(file);
    const { text, offset } = source.line(line) ?? { text: '', offset: source.text.length };
    const from = Math.min(column - 1, text.length);
    const [word = ''] = /^(?:new\s+)?[\p{L}\p{N}_$.]*/u.exec(text.slice(from)) ?? [];
    return { source, range: source.range(offset + from, offset + from + Math.max(1, word.length)) };
  }
}
