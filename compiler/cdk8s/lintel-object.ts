import { ApiObject, type ApiObjectMetadata } from 'cdk8s';
import type { Construct } from 'constructs';
import { KNOWN_FIELDS } from '#schemas';
import { callOf, noteOrigin } from './origins.ts';
import { unknownFields } from './unknown-fields.ts';

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
  /** @param type is the generated class; constructs of intent, which note themselves what they were given, say the kind alone */
  constructor(
    scope: Construct,
    id: string,
    type: LintelKind | (LintelKind & (abstract new (...parameters: never[]) => LintelObject)),
    props: LintelObjectProps,
  ) {
    const { apiVersion, kind } = type;
    super(scope, id, { ...props, apiVersion, kind, metadata: { ...props.metadata, name: props.metadata?.name ?? id } });
    noteOrigin(this, '', callOf(typeof type === 'function' ? type : LintelObject).at(2));
  }

  /** @throws Error naming the construct and each field that the kind does not have: the API server would drop it */
  override toJson(): ReturnType<ApiObject['toJson']> {
    const manifest = super.toJson();
    const problems = unknownFields(manifest, KNOWN_FIELDS);
    if (problems.length > 0) {
      throw new Error([`[${this.node.path}] ${this.kind} "${this.name}":`, ...problems].join('\n  '));
    }
    return manifest;
  }
}
