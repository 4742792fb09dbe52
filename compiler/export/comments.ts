import { isObject } from '#schemas';
import { findComments } from '../lint/index.ts';
import type { Path, SourceDocument } from '../source/source-document.ts';

/** For editors, not for people. */
const MODELINE = /^\s*yaml-language-server:/;
const SUPPRESSION = /^\s*lintel-ignore(?![\w-])/;

/** The comments of one document that people wrote, by the line that they are about. Each is given out once. */
export class Comments {
  readonly #document: SourceDocument | undefined;
  #byLine: Map<number, string[]>;

  /** The comments of a document whose comments are given out elsewhere. */
  static readonly none: Comments = new Comments();

  constructor(document?: SourceDocument) {
    this.#document = document;
    this.#byLine = new Map();
    if (document === undefined) return;
    // Suppressions become annotations where there is metadata to hold them.
    const hasMetadata = isObject(document.value) && Object.hasOwn(document.value, 'metadata');
    const { start, end } = document.locate([], 'value');
    const own = findComments(document.source)
      .map(({ text, about }) => ({ about, comment: text.replace(/^#+ ?/, '') }))
      .filter(({ about }) => about >= start.line && about <= end.line)
      .filter(({ comment }) => !MODELINE.test(comment) && !(hasMetadata && SUPPRESSION.test(comment)));
    const byLine = Map.groupBy(own, ({ about }) => about);
    this.#byLine = new Map([...byLine].map(([line, all]) => [line, withoutBlankEnds(all.map(one => one.comment))]));
  }

  /** Those about the value at a path, or about what else begins in its line, unless they were given out. */
  at(path: Path): readonly string[] {
    if (this.#document === undefined || this.#byLine.size === 0) return [];
    return this.#take(this.#document.locate(path, 'key').start.line);
  }

  /** Those that were not taken. */
  rest(): readonly string[] {
    return [...this.#byLine.keys()].sort((a, b) => a - b).flatMap(line => this.#take(line));
  }

  /** Comments that are given out by something that fails are there again. */
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
