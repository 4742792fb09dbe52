/** `metadata.managedFields`: which manager set which fields, tracked as the real server does (server-side apply, KEP-555). */
import { FieldSet } from './field-set.ts';
import { isEqual, isObject, type JsonObject, type JsonValue } from './json.ts';
import { type Comparison, compare, listFields, merge, remove, type Schema, withNamedFields } from './merge.ts';

/** The writer, and the part of the object that it writes. */
export interface Writer {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

interface Managed extends Writer {
  readonly time: string;
  readonly set: FieldSet;
}

export interface Conflict {
  /** The manager's name in messages, with the parts that distinguish its entries. */
  readonly manager: string;
  readonly fields: readonly string[];
}

export class ApplyConflict extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    const count = conflicts.reduce((sum, { fields }) => sum + fields.length, 0);
    const [first] = conflicts;
    super(
      count === 1 && first !== undefined
        ? `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.fields[0]}`
        : [
            `Apply failed with ${count} conflicts: ${conflicts
              .map(
                ({ manager, fields }) => `conflicts with ${manager}:\n${fields.map(field => `- ${field}`).join('\n')}`,
              )
              .join('\n')}`,
          ].join(''),
    );
    this.conflicts = conflicts;
  }
}

/** Fields that the server itself sets have no manager. */
const UNOWNED = FieldSet.of(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map(field => ['f:metadata', `f:${field}`]),
);

/** Most updating managers that are tracked separately; the oldest are merged into one. */
const MAX_UPDATERS = 10;

const identity = ({ manager, operation, apiVersion, subresource }: Writer): string =>
  JSON.stringify(
    operation === 'Apply' ? [operation, manager, subresource] : [operation, manager, subresource, apiVersion],
  );

export interface WriteContext {
  readonly schema: Schema;
  readonly writer: Writer;
  /** The current time in the format of RFC 3339, in whole seconds. */
  readonly now: string;
  /** The content of an object before any write; these parts themselves have no manager. */
  readonly empty: JsonObject;
}

/** An update (POST, PUT, PATCH): the writer owns what it changed, and all others lose it. */
export function trackUpdate(before: JsonObject | undefined, after: JsonObject, context: WriteContext): JsonObject {
  const given = managedOf(after);
  // With an empty list a client removes all owners; a missing list keeps them.
  const isCleared = before !== undefined && Array.isArray(metadataOf(after).managedFields) && given.length === 0;
  const managers = new Map(
    (isCleared || given.length > 0 || before === undefined ? given : managedOf(before)).map(one => [
      identity(one),
      one,
    ]),
  );
  if (before !== undefined && managers.size === 0) return withManaged(after, []);
  const key = identity(context.writer);
  const changes = compare(context.schema, withoutManaged(before ?? context.empty), withoutManaged(after));
  takeOver(managers, key, changes);
  const own = managers.get(key)?.set ?? FieldSet.EMPTY;
  const set = own.difference(changes.removed).union(changes.modified).union(changes.added).difference(UNOWNED);
  settle(managers, key, set, context);
  return withManaged(after, capUpdaters([...managers.values()], context.now));
}

/**
 * An apply: merges the configuration into the object, and removes what the writer no longer names and no other manager owns.
 *
 * @throws ApplyConflict when others own fields whose value would change, and `force` is not given
 */
export function apply(
  before: JsonObject | undefined,
  config: JsonObject,
  force: boolean,
  context: WriteContext,
): JsonObject {
  const { schema } = context;
  const live = withoutManaged(before ?? {});
  const managers = new Map(managedOf(before ?? {}).map(one => [identity(one), one]));
  if (before !== undefined && managers.size === 0) {
    const set = compare(schema, { apiVersion: live.apiVersion, kind: live.kind } as JsonObject, live).added;
    const writer: Managed = {
      manager: 'before-first-apply',
      operation: 'Update',
      apiVersion: context.writer.apiVersion,
      subresource: '',
      time: context.now,
      set: set.difference(UNOWNED),
    };
    managers.set(identity(writer), writer);
  }
  const key = identity(context.writer);
  const last = managers.get(key)?.set;
  const applied = listFields(schema, config).difference(UNOWNED);
  let after = merge(schema, live, config) as JsonObject;
  if (last !== undefined) {
    const others = [...managers].filter(([other]) => other !== key).map(([, { set }]) => set);
    after = prune(
      schema,
      after,
      last,
      [applied, ...others].reduce((all, set) => all.union(set), FieldSet.EMPTY),
    );
  }
  const changes = compare(schema, live, after);
  const conflicts = takeOver(managers, key, changes);
  if (!force && conflicts.length > 0) throw new ApplyConflict(conflicts);
  // An apply without a change gets no new time, and no time at all the first time.
  const time = before !== undefined && isEqual(live, after) ? (managers.get(key)?.time ?? '') : context.now;
  if (applied.isEmpty) managers.delete(key);
  else managers.set(key, { ...context.writer, time, set: applied });
  return withManaged(after, [...managers.values()]);
}

/** Removes the fields that the writer applied before and that have no manager now. */
function prune(schema: Schema, merged: JsonObject, last: FieldSet, owned: FieldSet): JsonObject {
  const named = (set: FieldSet) => withNamedFields(schema, set);
  const all = named(listFields(schema, merged));
  const left = (value: JsonObject) => named(listFields(schema, value));
  let pruned = (remove(schema, merged, named(last)) ?? {}) as JsonObject;
  // A field with a manager stays, even inside something that was removed as a whole...
  pruned = (remove(schema, merged, all.difference(left(pruned)).difference(named(owned))) ?? {}) as JsonObject;
  // ...and so does a field that the writer never had.
  return (remove(schema, merged, all.difference(left(pruned)).intersection(named(last))) ?? {}) as JsonObject;
}

/** Takes the changed fields from all other managers; returns which manager lost which fields. */
function takeOver(managers: Map<string, Managed>, key: string, { added, modified, removed }: Comparison): Conflict[] {
  const changed = added.union(modified);
  const conflicts: Conflict[] = [];
  for (const [other, managed] of managers) {
    if (other === key) continue;
    const lost = managed.set.intersection(changed);
    if (!lost.isEmpty) conflicts.push({ manager: nameOf(managed), fields: lost.paths() });
    const set = managed.set.difference(lost).difference(removed);
    if (set.isEmpty) managers.delete(other);
    else if (!set.isEqualTo(managed.set)) managers.set(other, { ...managed, set });
  }
  return conflicts.sort((a, b) => (a.manager < b.manager ? -1 : 1));
}

/** Stores a manager's entry. It gets a new time only if its fields have changed. */
function settle(managers: Map<string, Managed>, key: string, set: FieldSet, { writer, now }: WriteContext): void {
  const before = managers.get(key);
  if (set.isEmpty) managers.delete(key);
  else if (before === undefined || !before.set.isEqualTo(set) || before.apiVersion !== writer.apiVersion) {
    managers.set(key, { ...writer, time: now, set });
  }
}

function capUpdaters(managers: readonly Managed[], now: string): readonly Managed[] {
  const updaters = managers.filter(({ operation }) => operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return managers;
  const oldest = updaters.sort((a, b) => (a.time < b.time ? -1 : 1)).slice(0, updaters.length - MAX_UPDATERS + 1);
  const [first] = oldest;
  if (first === undefined) return managers;
  const set = oldest.reduce((all, one) => all.union(one.set), FieldSet.EMPTY);
  const ancient: Managed = { ...first, manager: 'ancient-changes', subresource: '', time: now, set };
  return [...managers.filter(one => !oldest.includes(one)), ancient];
}

function nameOf({ manager, operation, apiVersion, subresource }: Managed): string {
  const name = JSON.stringify(manager) + (subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === 'Apply' ? name : `${name} using ${apiVersion}`;
}

const metadataOf = (object: JsonObject): JsonObject => (isObject(object.metadata) ? object.metadata : {});

function managedOf(object: JsonObject): Managed[] {
  const entries = metadataOf(object).managedFields;
  if (!Array.isArray(entries)) return [];
  return (entries as readonly JsonObject[]).flatMap(entry =>
    typeof entry.manager !== 'string' || !isObject(entry.fieldsV1)
      ? []
      : [
          {
            manager: entry.manager,
            operation: entry.operation === 'Apply' ? 'Apply' : 'Update',
            apiVersion: String(entry.apiVersion),
            subresource: String(entry.subresource ?? ''),
            time: String(entry.time ?? ''),
            set: FieldSet.parse(entry.fieldsV1),
          },
        ],
  );
}

export function withoutManaged(object: JsonObject): JsonObject {
  if (!isObject(object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function withManaged(object: JsonObject, managers: readonly Managed[]): JsonObject {
  const sorted = [...managers].sort(
    (a, b) => compareText(a.operation, b.operation) || compareText(a.time, b.time) || compareText(a.manager, b.manager),
  );
  const managedFields = sorted.map(({ manager, operation, apiVersion, subresource, time, set }) => ({
    manager,
    operation,
    apiVersion,
    ...(time !== '' && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: set.toFieldsV1(),
    ...(subresource !== '' && { subresource }),
  }));
  const { managedFields: _, ...metadata } = metadataOf(object);
  return { ...object, metadata: { ...metadata, ...(managedFields.length > 0 && { managedFields }) } };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Whether two objects differ only in the times of their managers; then nothing is written. */
export function isSame(a: JsonObject, b: JsonObject): boolean {
  const timeless = (object: JsonObject): JsonValue =>
    managedOf(object).map(({ set, manager, operation, apiVersion, subresource }) => ({
      manager,
      operation,
      apiVersion,
      subresource,
      set: set.toFieldsV1(),
    })) as unknown as JsonValue;
  return isEqual(withoutManaged(a), withoutManaged(b)) && isEqual(timeless(a), timeless(b));
}
