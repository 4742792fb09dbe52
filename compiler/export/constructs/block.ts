import { isObject } from '#schemas';
import type { Path } from '../../source/source-document.ts';
import { type Code, type CommentedMember, list } from '../typescript/code.ts';
import type { ValueWriter } from '../value-code.ts';
import { NotRepresentable } from './not-representable.ts';
import { isAbsolutePath } from './prop-guards.ts';
import { emitCaBundle, emitSecretKey } from './references.ts';
import type { ServerFiles } from './server-files.ts';

/**
 * A mapping in a document. The code for a construct consumes the fields one by one. If a field remains, the construct cannot represent the object.
 */
export class ConsumedMapping {
  readonly writer: ValueWriter;
  readonly path: Path;
  readonly value: Readonly<Record<string, unknown>>;
  readonly #taken = new Set<string>();

  /** @throws NotRepresentable for a value that is not a mapping */
  constructor(value: unknown, path: Path, writer: ValueWriter) {
    if (!isObject(value)) throw new NotRepresentable(`\`${path.at(-1)}\` is not a mapping.`);
    this.value = value;
    this.path = path;
    this.writer = writer;
  }

  /** Consumes a field; undefined for null, which the API server treats as missing. */
  take(field: string): unknown {
    this.#taken.add(field);
    return this.peek(field);
  }

  /** Reads a field without consuming it. */
  peek(field: string): unknown {
    return Object.hasOwn(this.value, field) ? (this.value[field] ?? undefined) : undefined;
  }

  /** Names of the present fields. */
  fields(): readonly string[] {
    return Object.keys(this.value).filter(field => this.peek(field) !== undefined);
  }

  /**
   * Consumes a field that contains a mapping.
   *
   * @throws NotRepresentable for a value that is not a mapping
   */
  block(field: string): ConsumedMapping | undefined {
    const value = this.take(field);
    return value === undefined ? undefined : new ConsumedMapping(value, [...this.path, field], this.writer);
  }

  /**
   * Consumes a field for a prop with the same value.
   *
   * @param fits whether the prop's type allows a value
   * @throws NotRepresentable for a value that the type does not allow
   */
  prop(key: string, field: string = key, fits: (value: unknown) => boolean = () => true): readonly CommentedMember[] {
    const value = this.take(field);
    if (value === undefined) return [];
    if (!fits(value)) throw new NotRepresentable(`the prop \`${key}\` does not accept the value of \`${field}\`.`);
    return [this.writer.field(key, value, [...this.path, field])];
  }

  /** Consumes fields for props with the same names and values. */
  props(...fields: readonly string[]): readonly CommentedMember[] {
    return fields.flatMap(field => this.prop(field));
  }

  /**
   * Does the same as `prop`, for a field that must exist.
   *
   * @throws NotRepresentable without the field, or for a value that the prop's type does not allow
   */
  required(key: string, field: string = key, fits?: (value: unknown) => boolean): readonly CommentedMember[] {
    const members = this.prop(key, field, fits);
    if (members.length === 0) throw new NotRepresentable(`\`${field}\` is missing.`);
    return members;
  }

  /** A prop that represents a field in another form; nothing if there is no code. */
  emit(key: string, field: string, code: Code | undefined): readonly CommentedMember[] {
    return code === undefined ? [] : [this.writer.member(key, code, [...this.path, field])];
  }

  secret(key: string, field: string): readonly CommentedMember[] {
    const reference = this.take(field);
    return reference === undefined ? [] : this.emit(key, field, emitSecretKey(reference));
  }

  /**
   * The prop for a file of a registry server.
   *
   * @throws NotRepresentable for a relative path
   */
  serverFile(key: string, field: string, files: ServerFiles): readonly CommentedMember[] {
    const path = this.take(field);
    if (path === undefined) return [];
    if (typeof path !== 'string' || !isAbsolutePath(path))
      throw new NotRepresentable(`\`${field}\` is not an absolute path.`);
    return this.emit(key, field, files.code(path));
  }

  caBundle(key: string, field: string): readonly CommentedMember[] {
    const reference = this.take(field);
    return reference === undefined ? [] : this.emit(key, field, emitCaBundle(reference));
  }

  /**
   * A list of mappings.
   * @throws NotRepresentable for any other value
   */
  blocks(field: string): readonly ConsumedMapping[] | undefined {
    const items = this.take(field);
    if (items === undefined) return undefined;
    if (!Array.isArray(items)) throw new NotRepresentable(`\`${field}\` is not a list.`);
    return items.map((item, index) => new ConsumedMapping(item, [...this.path, field, index], this.writer));
  }

  /** A list of references to Secrets. */
  secrets(key: string, field: string): readonly CommentedMember[] {
    const references = this.take(field);
    if (references === undefined) return [];
    if (!Array.isArray(references)) throw new NotRepresentable(`\`${field}\` is not a list.`);
    return this.emit(key, field, list(references.map(emitSecretKey)));
  }

  /**
   * The prop for an OAuth client with its secret, if both exist.
   *
   * @throws NotRepresentable if only one exists
   */
  client(key: string, id: string, secret: string): readonly CommentedMember[] {
    const members = [...this.prop('id', id), ...this.secret('secret', secret)];
    if (members.length === 0) return [];
    if (members.length === 1) throw new NotRepresentable(`only one of \`${id}\` and \`${secret}\` is set.`);
    return this.emit(key, id, { type: 'object', members });
  }

  /** The remaining fields, unchanged. */
  rest(): readonly CommentedMember[] {
    const left = Object.entries(this.value).filter(([field]) => !this.#taken.has(field));
    return this.writer.members(Object.fromEntries(left), this.path);
  }

  /** @throws NotRepresentable for a remaining field */
  done(): void {
    const left = Object.keys(this.value).find(field => !this.#taken.has(field) && this.take(field) !== undefined);
    if (left !== undefined) throw new NotRepresentable(`there is no prop for \`${left}\`.`);
  }
}
