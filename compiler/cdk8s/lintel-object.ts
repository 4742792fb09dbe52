import { ApiObject, type ApiObjectMetadata, type JsonPatch } from 'cdk8s';
import type { Construct } from 'constructs';
import { ESCAPE_HATCHES_ANNOTATION, KNOWN_FIELDS } from '#schemas';
import { captureCall, noteOrigin } from './origins.ts';
import { markNulls, unmarkNulls } from './preserve-nulls.ts';
import { unknownFields } from './unknown-fields.ts';

/** The member of an error that says which part of the object the error is about: a JSON Pointer, which the compiler that runs the program reads. */
const POINTER = Symbol.for('lintel.dev/pointer');

/** Props of every generated construct. */
export interface LintelObjectProps {
  /** `name` defaults to the id of the construct, so that moving a construct in the tree renames nothing. */
  readonly metadata?: ApiObjectMetadata;
}

/** A generated class, with the version and kind of its manifests. */
export interface LintelKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** An object of Lintel's kinds: the base class of the generated constructs. */
export abstract class LintelObject extends ApiObject {
  readonly #hatches = new Set<string>();

  /** @param type the generated class; high-level constructs record positions themselves and pass the kind alone */
  constructor(
    scope: Construct,
    id: string,
    type: LintelKind | (LintelKind & (abstract new (...parameters: never[]) => LintelObject)),
    props: LintelObjectProps,
  ) {
    const { apiVersion, kind } = type;
    const metadata = { ...props.metadata, name: props.metadata?.name ?? id };
    const { spec } = props as { readonly spec?: unknown };
    const withNulls = spec === undefined ? {} : { spec: markNulls(spec, kind, KNOWN_FIELDS) };
    super(scope, id, { ...props, ...withNulls, apiVersion, kind, metadata });
    noteOrigin(this, '', captureCall(typeof type === 'function' ? type : LintelObject).at(2));
  }

  /** The escape hatch: applies operations (RFC 6902) to the object, past its types. An annotation lists the changed paths for reviewers. */
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

  /** @throws Error that names the construct and each unknown field, which the API server would drop */
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
    // Written last, so that no patch can remove itself from the list.
    const record = { [ESCAPE_HATCHES_ANNOTATION]: JSON.stringify([...this.#hatches].sort()) };
    const annotations = Object.entries({ ...json.metadata?.annotations, ...record }).sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    return { ...json, metadata: { ...json.metadata, annotations: Object.fromEntries(annotations) } };
  }
}

/** The paths that an operation changes; a test changes none. */
function listPaths(operation: JsonPatch): readonly string[] {
  const { op, path, from } = operation._toJson() as { op: string; path: string; from?: string };
  if (op === 'test') return [];
  return op === 'move' && from !== undefined ? [path, from] : [path];
}
