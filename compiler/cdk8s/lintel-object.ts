import { ApiObject, type ApiObjectMetadata } from 'cdk8s';
import type { Construct } from 'constructs';
import { callOf, noteOrigin } from './origins.ts';

/** What every generated construct takes. */
export interface LintelObjectProps {
  /** `name` is the id of the construct when not given, so that moving a construct in the tree renames nothing. */
  readonly metadata?: ApiObjectMetadata;
}

/** An object of our kinds: the base of the generated constructs. */
export abstract class LintelObject extends ApiObject {
  constructor(scope: Construct, id: string, type: { apiVersion: string; kind: string }, props: LintelObjectProps) {
    super(scope, id, { ...type, ...props, metadata: { ...props.metadata, name: props.metadata?.name ?? id } });
    noteOrigin(this, '', callOf(LintelObject).at(2));
  }
}
