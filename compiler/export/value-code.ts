import { isObject } from '#schemas';
import type { Path } from '../source/source-document.ts';
import type { Comments } from './comments.ts';
import { type Code, type CommentedMember, plain } from './typescript/code.ts';
import { formatStringLiteral } from './typescript/literal.ts';

/** Writes the values of one document as expressions, with the comments above their parts. */
export class ValueWriter {
  readonly comments: Comments;
  readonly #replaced: ReadonlyMap<string, Code>;
  readonly #keepsNull: (path: Path) => boolean;

  /**
   * @param replaced the expressions that replace values of the document, by the JSON text of the path
   * @param keepsNull whether a null at a path has a meaning
   */
  constructor(
    comments: Comments,
    replaced: ReadonlyMap<string, Code> = new Map(),
    keepsNull: (path: Path) => boolean = () => false,
  ) {
    this.comments = comments;
    this.#replaced = replaced;
    this.#keepsNull = keepsNull;
  }

  value(value: unknown, path: Path): Code {
    const replaced = this.#replaced.get(JSON.stringify(path));
    if (replaced !== undefined) return replaced;
    if (typeof value === 'string') return plain(formatStringLiteral(value));
    if (Array.isArray(value)) {
      const items = value.map((item, index) => this.#placed(item, [...path, index]));
      return { type: 'list', items };
    }
    if (isObject(value)) return { type: 'object', members: this.members(value, path) };
    return plain(Object.is(value, -0) ? '-0' : `${value}`);
  }

  /** The members of a mapping. A null counts as an absent member unless it has a meaning. */
  members(value: Readonly<Record<string, unknown>>, path: Path): readonly CommentedMember[] {
    return Object.entries(value)
      .filter(([key, member]) => member !== undefined && (member !== null || this.#keepsNull([...path, key])))
      .map(([key, member]) => ({ key, ...this.#placed(member, [...path, key]) }));
  }

  /** The member for a value of the document. */
  field(key: string, value: unknown, path: Path): CommentedMember {
    return { key, ...this.#placed(value, path) };
  }

  /** The member for a value of the document that the program represents in another form. */
  member(key: string, value: Code, path: Path): CommentedMember {
    return { key, comments: this.comments.at(path), value };
  }

  #placed(value: unknown, path: Path) {
    // The comments above the value come first, so they are read before those inside of the value.
    const comments = this.comments.at(path);
    return { comments, value: this.value(value, path) };
  }
}
