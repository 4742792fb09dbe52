import { type ApiObjectMetadata, Lazy } from 'cdk8s';
import type { Construct } from 'constructs';
import { API_GROUP, STORAGE_VERSION } from '#schemas';
import { LintelObject } from './lintel-object.ts';

/** Metadata of every high-level construct. */
export interface NamingProps {
  /** Name of the object. Default: the id of the construct, so that moving it in the tree renames nothing. */
  readonly name?: string;
  /** Namespace of the object. Default: that of the chart. */
  readonly namespace?: string;
  /** Labels of the object: names, and values of at most 63 letters, digits, `-`, `_` and `.`. */
  readonly labels?: { readonly [name: string]: string };
  /** Annotations of the object; `lintel.dev/ignore.CODE` with a reason suppresses findings about it. */
  readonly annotations?: { readonly [name: string]: string };
}

/** The object of a high-level construct, below it in the tree. Its spec is computed when the program is synthesized. */
export class ConstructResource extends LintelObject {
  constructor(scope: Construct, kind: string, name: string, naming: NamingProps, spec: () => object) {
    const { namespace, labels, annotations } = naming;
    const metadata: ApiObjectMetadata = {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    };
    const type = { apiVersion: `${API_GROUP}/${STORAGE_VERSION}`, kind };
    super(scope, 'Resource', type, { metadata, ...{ spec: Lazy.any({ produce: spec }) } });
  }
}
