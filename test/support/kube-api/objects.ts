/** Creates, changes and deletes objects: the part of the API server between HTTP and the store. */
import { randomUUID } from 'node:crypto';
import { ApiError, alreadyExists, badRequest, type Cause, conflict, invalid, modified, notFound } from './api-error.ts';
import type { Clock } from './clock.ts';
import { isEqual, isObject, type JsonObject, type JsonValue } from './json.ts';
import { ApplyConflict, apply, isSame, trackUpdate, withoutManaged } from './managed-fields.ts';
import { checkLists, InvalidList, pruneUnknown } from './merge.ts';
import { mergePatch } from './patch.ts';
import { storedPath } from './request.ts';
import { formatApiVersion, formatStorageKey, type ResourceType, type ResourceTypes } from './resource-types.ts';
import type { Store } from './store.ts';
import { addDefaults, prune, validateCustomResource } from './structural-schema.ts';
import {
  checkRules,
  emptyObject,
  finalizerCauses,
  hasGeneration,
  initialStatus,
  isGraceful,
  nameCauses,
  takesAnyVersion,
} from './type-rules.ts';

/** A write's target and options, without its content. */
export interface Write {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: '' | 'status';
  readonly manager: string;
  readonly dryRun: boolean;
  /** Unknown fields are refused; otherwise they are dropped, and listed in `warnings`. */
  readonly strict: boolean;
  readonly warnings: string[];
}

export interface Written {
  readonly object: JsonObject;
  readonly isNew: boolean;
}

export interface DeleteOptions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly gracePeriodSeconds?: number | undefined;
}

interface Metadata {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly [field: string]: JsonValue | undefined;
}

const metadataOf = (object: JsonObject): Metadata => (isObject(object.metadata) ? (object.metadata as Metadata) : {});

const withMetadata = (object: JsonObject, metadata: JsonObject): JsonObject => ({
  ...object,
  metadata: Object.fromEntries(
    Object.entries({ ...(object.metadata as JsonObject), ...metadata }).filter(([, value]) => value !== undefined),
  ),
});

/** The API server's default grace period for pods; seconds. */
const GRACE_SECONDS = 30;

export class Objects {
  readonly #store: Store;
  readonly #types: ResourceTypes;
  readonly #clock: Clock;

  constructor(store: Store, types: ResourceTypes, clock: Clock) {
    this.#store = store;
    this.#types = types;
    this.#clock = clock;
  }

  find(type: ResourceType, namespace: string, name: string): JsonObject | undefined {
    return this.#store.get(formatStorageKey(type), storedPath(namespace, name));
  }

  get(type: ResourceType, namespace: string, name: string): JsonObject {
    const object = this.find(type, namespace, name);
    if (object === undefined) throw notFound(type, name);
    return object;
  }

  create(write: Write, body: JsonObject): Written {
    const given = this.#received(write, body);
    const { generateName, resourceVersion } = metadataOf(given);
    if (resourceVersion !== undefined && resourceVersion !== '') {
      throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
    }
    const name = metadataOf(given).name ?? (generateName === undefined ? '' : generateName + randomUUID().slice(0, 5));
    const named = { ...write, name };
    this.#needNamespace(named);
    const fresh = this.#fresh(named, given);
    return {
      object: this.#finish(named, undefined, trackUpdate(undefined, fresh, this.#context(named, 'Update'))),
      isNew: true,
    };
  }

  update(write: Write, body: JsonObject): Written {
    const { type, namespace, name } = write;
    const given = this.#received(write, body);
    this.#checkName(write, given);
    const live = this.find(type, namespace, name);
    if (live === undefined) {
      if (type.kind === 'Lease') return this.create(write, body);
      throw notFound(type, name);
    }
    const { uid, resourceVersion } = metadataOf(given);
    if (resourceVersion === undefined || resourceVersion === '') {
      if (!takesAnyVersion(type)) {
        const message = 'Invalid value: 0: must be specified for an update';
        const causes = [{ reason: 'FieldValueInvalid', message, field: 'metadata.resourceVersion' }];
        // Named by its plural, unlike all other invalid objects.
        throw invalid({ group: type.group, kind: type.plural }, name, causes);
      }
    } else if (resourceVersion !== metadataOf(live).resourceVersion) throw modified(type, name);
    if (uid !== undefined && uid !== metadataOf(live).uid) throw otherUid(write, uid, metadataOf(live).uid);
    return this.#replace(write, live, given);
  }

  /** Applies a JSON merge patch (RFC 7386). */
  patch(write: Write, patch: JsonObject): Written {
    const { type, namespace, name } = write;
    const live = this.get(type, namespace, name);
    const patched = mergePatch(live, patch) as JsonObject;
    const { resourceVersion, uid } = metadataOf(patched);
    if (resourceVersion !== undefined && resourceVersion !== metadataOf(live).resourceVersion)
      throw modified(type, name);
    if (uid !== metadataOf(live).uid) throw otherUid(write, uid, metadataOf(live).uid);
    return this.#replace(write, live, this.#received(write, patched));
  }

  apply(write: Write, body: JsonObject, force: boolean): Written {
    const { type, namespace, name, subresource } = write;
    this.#checkIdentity(write, body);
    const { managedFields, resourceVersion, uid } = metadataOf(body);
    this.#checkName(write, body);
    if (managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
    const live = this.find(type, namespace, name);
    if (live === undefined) {
      if (subresource !== '') throw notFound(type, name);
      if (uid !== undefined)
        throw conflict(
          type,
          name,
          `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
        );
      this.#needNamespace(write);
    } else if (resourceVersion !== undefined && resourceVersion !== metadataOf(live).resourceVersion) {
      throw modified(type, name);
    } else if (uid !== undefined && uid !== metadataOf(live).uid) {
      throw otherUid(write, uid, metadataOf(live).uid);
    }
    const config = this.#partOf(write, body);
    const unknown: string[] = [];
    const known = pruneUnknown(type.schema, config, path => unknown.push(path)) as JsonObject;
    try {
      if (unknown.length > 0)
        throw new InvalidList(unknown.map(path => `${path}: field not declared in schema`).join('\n'));
      checkLists(type.schema, config);
      const base = live === undefined ? undefined : { ...live, apiVersion: formatApiVersion(type) };
      const applied = apply(base, type.structural === undefined ? known : config, force, this.#context(write, 'Apply'));
      const whole = this.#shaped(write, applied);
      return live === undefined
        ? { object: this.#finish(write, undefined, this.#fresh(write, whole)), isNew: true }
        : { object: this.#finish(write, live, this.#kept(live, whole)), isNew: false };
    } catch (error) {
      if (error instanceof InvalidList) {
        const id = `${metadataOf(body).namespace ?? ''}/${name}; ${type.group}/${type.version}, Kind=${type.kind}`;
        throw new ApiError(500, '', `failed to create typed patch object (${id}): ${error.message}`);
      }
      if (!(error instanceof ApplyConflict)) throw error;
      throw new ApiError(409, 'Conflict', error.message, {
        causes: error.conflicts.flatMap(({ manager, fields }) =>
          fields.map(field => ({ reason: 'FieldManagerConflict', message: `conflict with ${manager}`, field })),
        ),
      });
    }
  }

  /** Deletes an object. Returns the object that remains if a finalizer or the grace period of a pod holds it. */
  delete(write: Write, options: DeleteOptions): { readonly left: JsonObject | undefined; readonly gone: JsonObject } {
    const { type, namespace, name } = write;
    const live = this.get(type, namespace, name);
    const metadata = metadataOf(live);
    const mismatch = (what: string, wanted: string, found: unknown, end: string) =>
      conflict(
        { ...type, plural: type.kind },
        name,
        `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${String(found)}). The object might have been ${end}`,
      );
    if (options.uid !== undefined && options.uid !== metadata.uid) {
      throw mismatch('UID', options.uid, metadata.uid, 'deleted and then recreated');
    }
    if (options.resourceVersion !== undefined && options.resourceVersion !== metadata.resourceVersion) {
      throw mismatch('ResourceVersion', options.resourceVersion, metadata.resourceVersion, 'modified');
    }
    const added = { Foreground: 'foregroundDeletion', Orphan: 'orphan' }[options.propagationPolicy ?? ''];
    const finalizers = [...(metadata.finalizers ?? [])];
    if (added !== undefined && !finalizers.includes(added)) finalizers.push(added);
    const seconds = isGraceful(live) ? (options.gracePeriodSeconds ?? GRACE_SECONDS) : 0;
    if (finalizers.length === 0 && seconds === 0) {
      const gone = write.dryRun
        ? live
        : this.#store.commit(formatStorageKey(type), storedPath(namespace, name), undefined);
      if (!write.dryRun) this.#forget(live);
      return { left: undefined, gone };
    }
    const marked = withMetadata(live, {
      ...(finalizers.length > 0 && { finalizers }),
      ...(metadata.deletionTimestamp === undefined && {
        deletionTimestamp: this.#clock.rfc3339(seconds),
        deletionGracePeriodSeconds: seconds,
        ...(metadata.generation !== undefined && { generation: metadata.generation + 1 }),
      }),
    });
    const left =
      write.dryRun || isEqual(marked, live)
        ? marked
        : this.#store.commit(formatStorageKey(type), storedPath(namespace, name), marked);
    return { left, gone: left };
  }

  /** The received object as the server decodes it by its type: without unknown fields, with the defaults of its schema. */
  #received(write: Write, body: JsonObject): JsonObject {
    this.#checkIdentity(write, body);
    return this.#shaped(write, body);
  }

  #checkIdentity({ type, namespace }: Write, body: JsonObject): void {
    const { apiVersion, kind } = body;
    if (kind !== type.kind) {
      const [from, to] = [`${type.version}.${String(kind)}`, `${type.group === '' ? 'core' : type.group}.${type.kind}`];
      throw badRequest(
        `${String(kind)} in version ${JSON.stringify(type.version)} cannot be handled as a ${type.kind}: converting (${from}) to (${to}): unknown conversion`,
      );
    }
    if (apiVersion !== formatApiVersion(type)) {
      throw badRequest(
        `the API version in the data (${String(apiVersion)}) does not match the expected API version (${formatApiVersion(type)})`,
      );
    }
    if (body.metadata !== undefined && !isObject(body.metadata)) throw badRequest('metadata must be a map');
    const given = metadataOf(body).namespace ?? '';
    if (given !== '' && given !== namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
  }

  #checkName({ name }: Write, body: JsonObject): void {
    const given = metadataOf(body).name;
    if (given !== name)
      throw badRequest(`the name of the object (${given ?? ''}) does not match the name on the URL (${name})`);
  }

  #shaped(write: Write, body: JsonObject): JsonObject {
    const { type, strict, warnings } = write;
    const unknown: string[] = [];
    const { structural } = type;
    const shaped =
      structural === undefined
        ? pruneUnknown(type.schema, body, path => unknown.push(path.slice(1)))
        : addDefaults(
            structural,
            prune(structural, body, path => unknown.push(path)),
          );
    const problems = unknown.map(path => `unknown field ${JSON.stringify(path)}`);
    if (strict && problems.length > 0) {
      throw badRequest(
        `${type.kind} in version ${JSON.stringify(type.version)} cannot be handled as a ${type.kind}: strict decoding error: ${problems.join(', ')}`,
      );
    }
    warnings.push(...problems);
    return withoutEmpty(shaped as JsonObject);
  }

  /** The part of an object that a write to this (sub)resource may change. */
  #partOf({ type, subresource, name, namespace }: Write, body: JsonObject): JsonObject {
    if (subresource === 'status') {
      const { apiVersion, kind, status } = body;
      const metadata = { name, ...(namespace !== '' && { namespace }) };
      return { apiVersion, kind, metadata, ...(status !== undefined && { status }) };
    }
    if (!type.hasStatus) return body;
    const { status: _, ...rest } = body;
    return rest;
  }

  #fresh(write: Write, given: JsonObject): JsonObject {
    const { type, namespace, name } = write;
    const status = initialStatus(type);
    const { status: _, ...rest } = given;
    const base = type.hasStatus ? { ...rest, ...(status !== undefined && { status }) } : given;
    return withMetadata(base, {
      name,
      namespace: namespace === '' ? undefined : namespace,
      uid: randomUUID(),
      creationTimestamp: this.#clock.rfc3339(),
      generation: hasGeneration(type) ? 1 : undefined,
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      resourceVersion: undefined,
      selfLink: undefined,
    });
  }

  /** The new object with the fields that only the server sets. */
  #kept(live: JsonObject, object: JsonObject): JsonObject {
    const {
      name,
      namespace,
      uid,
      creationTimestamp,
      generation,
      deletionTimestamp,
      deletionGracePeriodSeconds,
      resourceVersion,
    } = metadataOf(live);
    return withMetadata(object, {
      name,
      namespace,
      uid,
      creationTimestamp,
      generation,
      deletionTimestamp,
      deletionGracePeriodSeconds,
      resourceVersion,
      selfLink: undefined,
    });
  }

  #replace(write: Write, live: JsonObject, given: JsonObject): Written {
    const { type, subresource } = write;
    const base: JsonObject = { ...live, apiVersion: formatApiVersion(type) };
    let next: JsonObject;
    if (subresource === 'status') {
      const { status: _, ...rest } = base;
      next = { ...rest, ...(given.status !== undefined && { status: given.status }) };
    } else if (type.hasStatus) {
      const { status: _, ...rest } = given;
      next = { ...rest, ...(live.status !== undefined && { status: live.status }) };
    } else next = given;
    const { managedFields } = metadataOf(given);
    const withGiven = withMetadata(this.#kept(live, next), { managedFields });
    const tracked = trackUpdate(base, withGiven, this.#context(write, 'Update'));
    return { object: this.#finish(write, live, tracked), isNew: false };
  }

  /** Validates the whole object, sets its generation, and writes it, unless it is unchanged. */
  #finish(write: Write, live: JsonObject | undefined, next: JsonObject): JsonObject {
    const { type, namespace, name } = write;
    const causes = this.#causes(write, live, next);
    if (causes.length > 0) throw invalid(type, name, causes);
    const before = live === undefined ? undefined : { ...live, apiVersion: formatApiVersion(type) };
    if (before !== undefined && isSame(before, next)) return before;
    const { generation } = metadataOf(next);
    if (before === undefined && this.find(type, namespace, name) !== undefined) throw alreadyExists(type, name);
    const isChanged =
      before !== undefined && generation !== undefined && !isEqual(desired(type, before), desired(type, next));
    const counted = isChanged ? withMetadata(next, { generation: generation + 1 }) : next;
    if (write.dryRun) return counted;
    const { deletionTimestamp, finalizers } = metadataOf(counted);
    if (deletionTimestamp !== undefined && (finalizers ?? []).length === 0 && !isGraceful(counted)) {
      this.#store.commit(formatStorageKey(type), storedPath(namespace, name), undefined);
      this.#forget(counted);
      return counted;
    }
    const written = this.#store.commit(formatStorageKey(type), storedPath(namespace, name), counted);
    return type.kind === 'CustomResourceDefinition' ? this.#serve(write, written) : written;
  }

  #causes(write: Write, live: JsonObject | undefined, next: JsonObject): readonly Cause[] {
    const { type } = write;
    const named = live === undefined ? nameCauses(type, next) : [];
    const held = live === undefined ? [] : finalizerCauses(live, next);
    if (type.structural === undefined) return [...named, ...held, ...checkRules(type, live, next)];
    const found = validateCustomResource(type.structural, withoutManaged(next));
    // Of a status alone: messages name fields relative to it.
    const told =
      write.subresource === ''
        ? found
        : found.map(one => ({ ...one, message: one.message.replace(': status.', ': ') }));
    // The metadata of a custom resource is validated twice.
    return [...named, ...held, ...held, ...told];
  }

  /** A CRD's types are served from the response that confirms it; the real server takes a moment longer. */
  #serve({ namespace, name, type }: Write, definition: JsonObject): JsonObject {
    this.#types.define(definition);
    const condition = (kind: string, reason: string, message: string) => ({
      type: kind,
      status: 'True',
      lastTransitionTime: metadataOf(definition).creationTimestamp as string,
      reason,
      message,
    });
    const { names, versions } = definition.spec as {
      readonly names: JsonObject;
      readonly versions: readonly JsonObject[];
    };
    const status = {
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
      acceptedNames: names,
      storedVersions: versions.filter(({ storage }) => storage === true).map(version => version.name as string),
    };
    if (isEqual(definition.status, status)) return definition;
    return this.#store.commit(formatStorageKey(type), storedPath(namespace, name), { ...definition, status });
  }

  #forget(object: JsonObject): void {
    if (object.kind === 'CustomResourceDefinition') {
      const { group, names } = object.spec as { readonly group: string; readonly names: { readonly plural: string } };
      this.#types.undefine(group, names.plural);
      for (const [key] of this.#store.list(`${group}/${names.plural}`))
        this.#store.commit(`${group}/${names.plural}`, key, undefined);
    }
    // Deletes the objects in a deleted namespace at once; in a cluster the namespace controller does that.
    if (object.kind !== 'Namespace') return;
    for (const storage of new Set(this.#types.all.filter(({ namespaced }) => namespaced).map(formatStorageKey))) {
      for (const [key] of this.#store.list(storage)) {
        if (key.startsWith(`${metadataOf(object).name}/`)) this.#store.commit(storage, key, undefined);
      }
    }
  }

  #needNamespace({ type, namespace }: Write): void {
    if (!type.namespaced) return;
    const namespaces = this.#types.byKind('v1', 'Namespace');
    if (namespaces !== undefined && this.find(namespaces, '', namespace) === undefined)
      throw notFound(namespaces, namespace);
  }

  #context({ type, manager, subresource }: Write, operation: 'Apply' | 'Update') {
    const writer = { manager, operation, apiVersion: formatApiVersion(type), subresource };
    return { schema: type.schema, writer, now: this.#clock.rfc3339(), empty: emptyObject(type) };
  }
}

/** Fields that the real server, written in Go, omits when they are empty. */
const OMITTED_WHEN_EMPTY = [
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'data',
  'binaryData',
  'stringData',
];

function withoutEmpty(object: JsonObject): JsonObject {
  const isKept = ([name, value]: [string, JsonValue | undefined]) =>
    !OMITTED_WHEN_EMPTY.includes(name) || typeof value !== 'object' || value === null || Object.keys(value).length > 0;
  const drop = (map: JsonObject) => Object.fromEntries(Object.entries(map).filter(isKept));
  return { ...drop(object), ...(isObject(object.metadata) && { metadata: drop(object.metadata) }) };
}

/** The fields whose change increments the generation. */
function desired(type: ResourceType, object: JsonObject): JsonObject {
  const { status, metadata, ...rest } = object;
  const annotations =
    type.kind === 'Deployment' ? (metadataOf(object).annotations as JsonObject | undefined) : undefined;
  return { ...rest, ...(!type.hasStatus && status !== undefined && { status }), annotations };
}

function otherUid({ type, namespace, name }: Write, wanted: unknown, found: unknown): ApiError {
  const group = type.structural === undefined ? '' : `${type.group}/`;
  const key = `/registry/${group}${type.plural}/${namespace === '' ? '' : `${namespace}/`}${name}`;
  return conflict(
    type,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${String(wanted)}, UID in object meta: ${String(found)}`,
  );
}
