import type { Diagnostic, Range } from '../diagnostics/diagnostic.ts';
import type { SourceText } from './source-text.ts';

/** Steps from the root of a document: field names and list indices. */
export type Path = readonly (string | number)[];

/** A range of a text. */
export type Location = { readonly source: SourceText; readonly range: Range };

/** The positions of a document's values in the program that generated it. Computed on demand. */
export type ProgramLocations = {
  /** The construct that generated the document, such as `Eng/Gateway/Resource`. */
  readonly constructPath: string;
  /**
   * Like `SourceDocument.locate`, in a file of the program: the innermost part of a call to which the value can be traced. Undefined when no
   * call in the program's own files is known.
   */
  locate(path: Path, at: 'key' | 'value'): Location | undefined;
  /** The calls in the program's own files that led to the value, innermost first. */
  calls(path: Path): readonly Location[];
};

/** One document of a file in any format. The object of a program is a document of its generated YAML. */
export type SourceDocument = {
  /** The path of the file, as messages show it. */
  readonly file: string;
  /** 0-based index among the documents of its file, counting empty ones; items of a `List` share it. */
  readonly index: number;
  /** Plain data. Mappings are objects whose keys, including `__proto__`, are own properties. Never shared between positions. */
  readonly value: unknown;
  /** The text that positions refer to. */
  readonly source: SourceText;
  /**
   * Findings that only matter for documents of Lintel's kinds, such as a rounded integer. The code that identifies the document reports them.
   */
  readonly caveats: readonly Diagnostic[];
  /**
   * The range of a value or its key. Aliases and merge keys are followed. It is computed on each call, so call it only for findings.
   *
   * - `value`: its text; for an empty value its key.
   * - `key`: its key; for a list item or the root the value.
   * - For a missing path: the key of its nearest ancestor, or the ancestor's first line.
   */
  locate(path: Path, at: 'key' | 'value'): Range;
  /** The program that generated the document. Findings are located there, see `locateValue`. */
  readonly program?: ProgramLocations | undefined;
};
