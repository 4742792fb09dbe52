import { isObject } from '#schemas';
import { findComments } from '../lint/index.ts';
import type { Path, SourceDocument } from '../source/source-document.ts';

/** A comment for editors rather than people. */
const MODELINE = /^\s*yaml-language-server:/;
const SUPPRESSION = /^\s*lintel-ignore(?![\w-])/;

/** Handwritten comments of one document, by the line that they are about. Each is returned once. */
export class Comments {
  readonly #document: SourceDocument | undefined;
  #byLine: Map<number, string[]>;

  /** No comments: those of the document are returned elsewhere. */
  static readonly none: Comments = new Comments();

  constructor(document?: SourceDocument) {
    this.#document = document;
    this.#byLine = new Map();
    if (document === undefined) return;
    // A document with metadata keeps suppressions as annotations.
    const hasMetadata = isObject(document.value) && Object.hasOwn(document.value, 'metadata');
    const { start, end } = document.locate([], 'value');
    const own = findComments(document.source)
      .map(({ text, about }) => ({ about, comment: text.replace(/^#+ ?/, '') }))
      .filter(({ about }) => about >= start.line && about <= end.line)
      .filter(({ comment }) => !MODELINE.test(comment) && !(hasMetadata && SUPPRESSION.test(comment)));
    const byLine = Map.groupBy(own, ({ about }) => about);
    this.#byLine = new Map([...byLine].map(([line, all]) => [line, withoutBlankEnds(all.map(entry => entry.comment))]));
  }

  /** The comments about the value at a path, or about other values on its line, unless they were returned before. */
  at(path: Path): readonly string[] {
    if (this.#document === undefined || this.#byLine.size === 0) return [];
    return this.#take(this.#document.locate(path, 'key').start.line);
  }

  /** Comments that were not returned yet. */
  rest(): readonly string[] {
    return [...this.#byLine.keys()].sort((a, b) => a - b).flatMap(line => this.#take(line));
  }

  /** If the callback fails, the comments that it took become available again. */
  attempt<T>(write: () => T): T {
    const before = new Map(this.#byLine);
    try {
      return write();
    } catch (error) {
      this.#byLine = before;
      throw error;
    }
  }

  #take(line: number): readonly string[] {
    const comments = this.#byLine.get(line) ?? [];
    this.#byLine.delete(line);
    return comments;
  }
}

function withoutBlankEnds(comments: readonly string[]): string[] {
  const isText = (comment: string) => comment.trim() !== '';
  const first = comments.findIndex(isText);
  return first === -1 ? [] : comments.slice(first, comments.findLastIndex(isText) + 1);
}
