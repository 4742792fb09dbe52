/** The types that the server serves: built-in ones, and those that CustomResourceDefinitions add. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from './json.ts';
import type { Schema } from './merge.ts';
import { type Shape, type Shapes, shapeOfCustomResource } from './shape.ts';

export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
  readonly schema: Schema;
  /** `openAPIV3Schema`; only for custom resources. */
  readonly structural?: JsonObject;
}

interface BuiltIns {
  readonly types: readonly (Omit<ResourceType, 'schema' | 'structural'> & { readonly definition: string })[];
  readonly shapes: Shapes;
}

const BUILT_IN = JSON.parse(readFileSync(join(import.meta.dirname, 'generated', 'types.json'), 'utf8')) as BuiltIns;

export const formatApiVersion = ({ group, version }: Pick<ResourceType, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;

/** The storage prefix of objects: the same for all versions of a type. */
export const formatStorageKey = ({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): string =>
  `${group}/${plural}`;

export class ResourceTypes {
  #types: readonly ResourceType[] = BUILT_IN.types.map(({ definition, ...type }) => ({
    ...type,
    schema: { shape: { ref: definition }, shapes: BUILT_IN.shapes },
  }));

  get all(): readonly ResourceType[] {
    return this.#types;
  }

  byPath(group: string, version: string, plural: string): ResourceType | undefined {
    return this.#types.find(type => type.group === group && type.version === version && type.plural === plural);
  }

  byKind(apiVersion: string, kind: string): ResourceType | undefined {
    return this.#types.find(type => type.kind === kind && formatApiVersion(type) === apiVersion);
  }

  /** Serves the versions of a CRD, in place of those of an earlier one of the same name. */
  define(definition: JsonObject): void {
    const spec = definition.spec as JsonObject;
    const names = spec.names as { readonly plural: string; readonly kind: string };
    const group = spec.group as string;
    const added = (spec.versions as readonly JsonObject[])
      .filter(({ served }) => served === true)
      .map((version): ResourceType => {
        const structural = (version.schema as { openAPIV3Schema?: JsonObject } | undefined)?.openAPIV3Schema ?? {};
        const shape: Shape = shapeOfCustomResource(structural);
        return {
          group,
          version: version.name as string,
          kind: names.kind,
          plural: names.plural,
          namespaced: spec.scope === 'Namespaced',
          hasStatus: isObject(version.subresources) && version.subresources.status !== undefined,
          schema: { shape, shapes: BUILT_IN.shapes },
          structural,
        };
      });
    this.undefine(group, names.plural);
    this.#types = [...this.#types, ...added];
  }

  undefine(group: string, plural: string): void {
    this.#types = this.#types.filter(
      type => type.structural === undefined || type.group !== group || type.plural !== plural,
    );
  }
}
