import type { Diagnostic, Range } from '../diagnostics/diagnostic.ts';
import type { SourceText } from './source-text.ts';

/** Steps from the root of a document: field names and list indices. */
export type Path = readonly (string | number)[];

/** A stretch of a text. */
export type Location = { readonly source: SourceText; readonly range: Range };

/** Where the values of a document were given in the program that made it. Worked out when asked for. */
export type ProgramLocations = {
  /** The construct that became the document, such as `Eng/Gateway/Resource`. */
  readonly constructPath: string;
  /**
   * Like `SourceDocument.locate`, in a file of the program: the deepest part of a call that the value can be followed to.
   * Undefined where no call of the program's own files is known.
   */
  locate(path: Path, at: 'key' | 'value'): Location | undefined;
  /** The calls in the program's own files that led to the value, the innermost first. */
  calls(path: Path): readonly Location[];
};

/** One document of a file, whatever language it was written in. What a program made is a document of the YAML it stands for. */
export type SourceDocument = {
  /** As shown to the user. */
  readonly file: string;
  /** 0-based place among the documents of its file, counting empty ones; the items of a `List` share it. */
  readonly index: number;
  /** Plain data. Mappings are objects whose keys, `__proto__` too, are own properties. Never shared between places. */
  readonly value: unknown;
  /** The text that the positions are about. */
  readonly source: SourceText;
  /**
   * What reading found that only matters if the document is ours, such as an integer that was rounded. The code that
   * decides so passes it on.
   */
  readonly caveats: readonly Diagnostic[];
  /**
   * Where a value, or its key, is. Aliases and merge keys are followed. Worked out when asked for, so ask only when
   * there is a finding.
   *
   * - `value`: its text; for an empty value its key.
   * - `key`: its key; for a list item or the root the value.
   * - A path that leads nowhere gives the key of its nearest ancestor, or if that has none its first line.
   */
  locate(path: Path, at: 'key' | 'value'): Range;
  /** The program that made the document. Findings are placed there, see `placeIn`. */
  readonly program?: ProgramLocations | undefined;
};
