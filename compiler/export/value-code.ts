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
   * @param replaced expressions that replace the values at some paths, by the path as JSON
   * @param keepsNull whether a null at a path is meaningful
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

  /** Without null members, which count as missing, unless the null is meaningful. */
  members(value: Readonly<Record<string, unknown>>, path: Path): readonly CommentedMember[] {
    return Object.entries(value)
      .filter(([key, member]) => member !== undefined && (member !== null || this.#keepsNull([...path, key])))
      .map(([key, member]) => ({ key, ...this.#placed(member, [...path, key]) }));
  }

  /** A member for the value at a path. */
  field(key: string, value: unknown, path: Path): CommentedMember {
    return { key, ...this.#placed(value, path) };
  }

  /** A member that represents a path in another form. */
  member(key: string, value: Code, path: Path): CommentedMember {
    return { key, comments: this.comments.at(path), value };
  }

  #placed(value: unknown, path: Path) {
    // Comments above a value come before those inside of it.
    const comments = this.comments.at(path);
    return { comments, value: this.value(value, path) };
  }
}
