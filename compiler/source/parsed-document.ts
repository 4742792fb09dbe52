import type { Diagnostic, Range } from '../diagnostics/diagnostic.ts';
import { locate, type PlacedNode } from './locate.ts';
import type { Path, SourceDocument } from './source-document.ts';
import type { SourceText } from './source-text.ts';

/** A document of a text, independent of the reader. */
export class ParsedDocument implements SourceDocument {
  readonly file: string;
  readonly index: number;
  readonly value: unknown;
  readonly source: SourceText;
  readonly caveats: readonly Diagnostic[];
  readonly #root: () => PlacedNode;

  /** @param root - Returns the tree for locating values. It is called for each `locate`. */
  constructor(
    source: SourceText,
    index: number,
    value: unknown,
    caveats: readonly Diagnostic[],
    root: () => PlacedNode,
  ) {
    this.file = source.file;
    this.index = index;
    this.value = value;
    this.source = source;
    this.caveats = caveats;
    this.#root = root;
  }

  locate(path: Path, at: 'key' | 'value'): Range {
    return locate(this.source, this.#root(), path, at);
  }
}
