import { isObject } from '#schemas';
import type { Path } from '../../source/source-document.ts';
import type { ExportedObject } from '../exported-object.ts';
import { keepsNull } from '../nulls.ts';
import type { ProgramScope } from '../program-scope.ts';
import type { Line } from '../statement.ts';
import { type CallCode, type Code, type CommentedMember, call, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import { ValueWriter } from '../value-code.ts';
import { ConsumedMapping } from './block.ts';
import { NotRepresentable } from './not-representable.ts';
import type { ConstructExtras } from './parts.ts';

export { NotRepresentable } from './not-representable.ts';
export { emitSecretKey } from './references.ts';

/** The object to represent as a construct. */
export interface EmitContext {
  readonly object: ExportedObject;
  readonly program: ProgramScope;
  readonly parts: ConstructExtras;
}

/** The code for an object that a construct represents: the call of the construct, and the lines before and after it. */
export interface ConstructCode {
  readonly code: CallCode;
  readonly before?: readonly Line[];
  readonly further?: readonly Line[];
}

const METADATA = ['name', 'namespace', 'labels', 'annotations'];
const TOP = ['apiVersion', 'kind', 'metadata', 'spec'];

/** The spec fields of an object, consumed one by one. */
export class ConsumedSpec extends ConsumedMapping {
  readonly #context: EmitContext;

  /** @throws NotRepresentable for a spec that is not a mapping */
  constructor(context: EmitContext) {
    const { object, parts } = context;
    const writer = new ValueWriter(parts.comments, undefined, path => keepsNull(object.kind, path));
    super(object.value.spec ?? {}, ['spec'], writer);
    this.#context = context;
  }

  /** The prop for the value at a path of the document; nothing if there is no code. */
  member(key: string, value: Code | undefined, ...path: Path): readonly CommentedMember[] {
    return value === undefined ? [] : [this.writer.member(key, value, path)];
  }

  /**
   * The props `name`, `namespace` and similar, if they differ from their defaults.
   *
   * @param without names of annotations that other props represent
   * @throws NotRepresentable
   */
  naming(without: readonly string[] = []): readonly CommentedMember[] {
    const { object, program, parts } = this.#context;
    const metadata = object.value.metadata as Readonly<Record<string, unknown>>;
    const strange = [
      ...Object.keys(object.value).filter(key => !TOP.includes(key)),
      ...Object.keys(metadata).filter(key => !METADATA.includes(key)),
    ];
    if (strange[0] !== undefined) throw new NotRepresentable(`there is no prop for \`${strange[0]}\`.`);
    const id = program.getId(object);
    const namespace = program.findNamespace(object);
    const text = (value: string | undefined) => (value === undefined ? undefined : plain(formatStringLiteral(value)));
    const all = { ...(metadata.annotations as object | null), ...parts.annotations };
    const annotations = Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)));
    const { labels } = metadata;
    const toCode = (value: unknown, field: string) =>
      isObject(value) && Object.keys(value).length > 0 ? this.writer.value(value, ['metadata', field]) : undefined;
    return [
      ...this.member('name', text(object.name === id ? undefined : object.name), 'metadata', 'name'),
      ...this.member('namespace', text(namespace), 'metadata', 'namespace'),
      ...this.member('labels', toCode(labels, 'labels'), 'metadata', 'labels'),
      ...this.member('annotations', toCode(annotations, 'annotations'), 'metadata', 'annotations'),
    ];
  }
}

/** The code `callee(this, 'id', { … })`. If no prop is needed, the object of props is left out. */
export function emitConstruct(
  callee: string,
  { object, program }: EmitContext,
  members: readonly CommentedMember[],
): CallCode {
  const id = plain(formatStringLiteral(program.getId(object)));
  return call(callee, plain('this'), id, ...(members.length === 0 ? [] : [{ type: 'object', members } as const]));
}

/**
 * The name in a reference `{ name }`.
 *
 * @throws NotRepresentable for other members
 */
export function requireOnlyName(value: unknown, field: string): string {
  if (!isObject(value) || typeof value.name !== 'string' || Object.keys(value).some(key => key !== 'name'))
    throw new NotRepresentable(`\`${field}\` has no \`name\`, or it has further fields.`);
  return value.name;
}
