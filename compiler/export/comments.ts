import { isObject } from '#schemas';
import { findComments } from '../lint/index.ts';
import type { Path, SourceDocument } from '../source/source-document.ts';

/** A comment that is written for an editor and not for people, so the program does not repeat it. */
const MODELINE = /^\s*yaml-language-server:/;
const SUPPRESSION = /^\s*lintel-ignore(?![\w-])/;

/**
 * The handwritten comments of one document, by the line of the value that they are about. Each comment is returned only once, so that the program
 * repeats it once.
 */
export class Comments {
  readonly #document: SourceDocument | undefined;
  #byLine: Map<number, string[]>;

  /** Without any comments, for a second writer of the same document: the first one already returns them. */
  static readonly none: Comments = new Comments();

  constructor(document?: SourceDocument) {
    this.#document = document;
    this.#byLine = new Map();
    if (document === undefined) return;
    // In a document with metadata, suppressions become annotations, and are not repeated as comments.
    const hasMetadata = isObject(document.value) && Object.hasOwn(document.value, 'metadata');
    const { start, end } = document.locate([], 'value');
    const own = findComments(document.source)
      .map(({ text, about }) => ({ about, comment: text.replace(/^#+ ?/, '') }))
      .filter(({ about }) => about >= start.line && about <= end.line)
      .filter(({ comment }) => !MODELINE.test(comment) && !(hasMetadata && SUPPRESSION.test(comment)));
    const byLine = Map.groupBy(own, ({ about }) => about);
    this.#byLine = new Map([...byLine].map(([line, all]) => [line, withoutBlankEnds(all.map(entry => entry.comment))]));
  }

  /** The comments about the value at a path, or about other values on its line, except for those that were returned before. */
  at(path: Path): readonly string[] {
    if (this.#document === undefined || this.#byLine.size === 0) return [];
    return this.#take(this.#document.locate(path, 'key').start.line);
  }

  /** Comments that were not returned yet. */
  rest(): readonly string[] {
    return [...this.#byLine.keys()].sort((a, b) => a - b).flatMap(line => this.#take(line));
  }

  /** Calls a function. If it throws, the comments that were returned to it can be returned again. */
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
