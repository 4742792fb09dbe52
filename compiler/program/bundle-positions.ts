import { SourceMap, type SourceMapPayload } from 'node:module';
import { isAbsolute } from 'node:path';
import { isOwnFile } from './locations/own-files.ts';
import type { Frame } from './synthesized.ts';

/** A position in a file of the program. */
export interface OriginalLocation {
  /** Absolute path of the file. */
  readonly file: string;
  /** The line, counted from 1. */
  readonly line: number;
  /** The column, counted from 1, in UTF-16 code units. */
  readonly column: number;
}

/** Maps positions in the bundle to the original files. */
export class BundlePositions {
  readonly #map: SourceMap;

  /** @param sourceMap of the bundle; `sources` are absolute paths */
  constructor(sourceMap: unknown) {
    this.#map = new SourceMap(sourceMap as SourceMapPayload);
  }

  /** The position in the original file. Undefined for a position that comes from no file of the program. */
  findOriginal({ line, column }: Frame): OriginalLocation | undefined {
    const entry = this.#map.findEntry(line - 1, column - 1);
    if (!('originalSource' in entry) || entry.originalSource === undefined) return undefined;
    return { file: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
  }

  /** The innermost frame in a file of the program itself rather than a package. */
  findOwn(frames: readonly Frame[]): OriginalLocation | undefined {
    for (const frame of frames) {
      const original = this.findOriginal(frame);
      if (original !== undefined && isOwn(original.file)) return original;
    }
    return undefined;
  }
}

/** Whether a file is the program's own: it belongs to no package, and is not part of the code with which Lintel runs programs. */
export function isOwn(file: string): boolean {
  return isAbsolute(file) && isOwnFile(file, 'anything');
}
