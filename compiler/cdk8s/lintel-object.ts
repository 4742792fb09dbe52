import { ApiObject, type ApiObjectMetadata, type JsonPatch } from 'cdk8s';
import type { Construct } from 'constructs';
import { ESCAPE_HATCHES_ANNOTATION, KNOWN_FIELDS } from '#schemas';
import { markNulls, unmarkNulls } from './kept-nulls.ts';
import { captureCall, noteOrigin } from './origins.ts';
import { unknownFields } from './unknown-fields.ts';

/** The place of the object that an error is about; read by the compiler that runs the program. */
const POINTER = Symbol.for('lintel.dev/pointer');

/** What every generated construct takes. */
export interface LintelObjectProps {
  /** `name` is the id of the construct when not given, so that moving a construct in the tree renames nothing. */
  readonly metadata?: ApiObjectMetadata;
}

/** A generated class: its version and kind, as manifests say them. */
export interface LintelKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** An object of our kinds: the base of the generated constructs. */
export abstract class LintelObject extends ApiObject {
  readonly #hatches = new Set<string>();

  /** @param type is the generated class; constructs of intent, which note themselves what they were given, say the kind alone */
  constructor(
    scope: Construct,
    id: string,
    type: LintelKind | (LintelKind & (abstract new (...parameters: never[]) => LintelObject)),
    props: LintelObjectProps,
  ) {
    const { apiVersion, kind } = type;
    const metadata = { ...props.metadata, name: props.metadata?.name ?? id };
    const { spec } = props as { readonly spec?: unknown };
    const kept = spec === undefined ? {} : { spec: markNulls(spec, kind, KNOWN_FIELDS) };
    super(scope, id, { ...props, ...kept, apiVersion, kind, metadata });
    noteOrigin(this, '', captureCall(typeof type === 'function' ? type : LintelObject).at(2));
  }

  /**
   * The escape hatch: lays operations (RFC 6902) over the object, past its types. An annotation lists the places, for those who
   * review what comes out.
   */
  override addJsonPatch(...operations: JsonPatch[]): void {
    const call = captureCall(LintelObject.prototype.addJsonPatch);
    super.addJsonPatch(...operations);
    for (const [index, operation] of operations.entries()) {
      for (const pointer of listPaths(operation)) {
        this.#hatches.add(pointer);
        noteOrigin(this, pointer, call.at(index, 'value'));
      }
    }
  }

  /** @throws Error naming the construct and each field that the kind does not have: the API server would drop it */
  override toJson(): unknown {
    const json = unmarkNulls(super.toJson()) as { metadata?: { annotations?: object } };
    const problems = unknownFields(json, KNOWN_FIELDS);
    const [first] = problems;
    if (first !== undefined) {
      const lines = problems.map(({ problem }) => problem);
      const error = new Error([`[${this.node.path}] ${this.kind} "${this.name}":`, ...lines].join('\n  '));
      throw Object.assign(error, { [POINTER]: first.pointer });
    }
    if (this.#hatches.size === 0) return json;
    // Written last: no patch takes itself off the list.
    const record = { [ESCAPE_HATCHES_ANNOTATION]: JSON.stringify([...this.#hatches].sort()) };
    const annotations = Object.entries({ ...json.metadata?.annotations, ...record }).sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    return { ...json, metadata: { ...json.metadata, annotations: Object.fromEntries(annotations) } };
  }
}

/** What an operation changes; a test changes nothing. */
function listPaths(operation: JsonPatch): readonly string[] {
  const { op, path, from } = operation._toJson() as { op: string; path: string; from?: string };
  if (op === 'test') return [];
  return op === 'move' && from !== undefined ? [path, from] : [path];
}
