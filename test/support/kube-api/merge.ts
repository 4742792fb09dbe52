/**
 * Structured merge of objects by their shape, as in server-side apply. Maps are merged by name, lists by the keys of their items, and everything
 * else is one value.
 */
import { FieldSet, stepText } from './field-set.ts';
import { canonical, isEqual, isObject, type JsonObject, type JsonValue } from './json.ts';
import { type ListShape, type MapShape, resolve, type Shape, type Shapes } from './shape.ts';

export interface Schema {
  readonly shape: Shape;
  readonly shapes: Shapes;
}

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** An item of a list has no key, or two items have the same. */
export class InvalidList extends Error {}

type Maybe = JsonValue | undefined;
type View =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'map'; readonly below: (name: string) => Schema; readonly isField: (name: string) => boolean }
  | { readonly kind: 'list'; readonly items: Schema; readonly step: (item: JsonValue) => string };

/** The parts of a value of this shape; a value without a shape is taken as it is. */
function view({ shape, shapes }: Schema, value: Maybe): View {
  const found = resolve(shape, shapes);
  if (found === 'any') {
    if (!isObject(value)) return { kind: 'leaf' };
    return { kind: 'map', below: () => ({ shape: 'any', shapes }), isField: () => false };
  }
  if (typeof found === 'string') return { kind: 'leaf' };
  if ('fields' in found) {
    if (found.atomic === true) return { kind: 'leaf' };
    return {
      kind: 'map',
      below: name => ({ shape: fieldOf(found, name) ?? found.rest ?? 'any', shapes }),
      isField: name => fieldOf(found, name) !== undefined,
    };
  }
  if (found.set !== true && found.keys === undefined) return { kind: 'leaf' };
  return { kind: 'list', items: { shape: found.items, shapes }, step: item => stepOf(found, item) };
}

const fieldOf = (shape: MapShape, name: string): Shape | undefined =>
  Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;

function stepOf({ keys, keyDefaults }: ListShape, item: JsonValue): string {
  if (keys === undefined) return `v:${canonical(item)}`;
  if (!isObject(item)) throw new InvalidList('associative list with keys may not have non-map elements');
  const values = keys.flatMap(key => {
    const value = item[key] ?? keyDefaults?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  if (values.length === 0) {
    const names = keys.map(key => JSON.stringify(key)).join(', ');
    throw new InvalidList(`associative list with keys has an element that omits key field(s) [${names}]`);
  }
  return `k:${canonical(Object.fromEntries(values))}`;
}

/** Items by their step, in order; of several with the same step, the first. */
function index(value: Maybe, step: (item: JsonValue) => string): Map<string, JsonValue> {
  const items = new Map<string, JsonValue>();
  if (Array.isArray(value))
    for (const item of value as readonly JsonValue[]) if (!items.has(step(item))) items.set(step(item), item);
  return items;
}

/**
 * @throws InvalidList when two items have the same key, or one has none
 */
export function checkLists(schema: Schema, value: Maybe, path = ''): void {
  const how = view(schema, value);
  if (how.kind === 'map' && isObject(value)) {
    for (const [name, below] of Object.entries(value)) checkLists(how.below(name), below, `${path}.${name}`);
  } else if (how.kind === 'list' && Array.isArray(value)) {
    const seen = new Set<string>();
    for (const item of value as readonly JsonValue[]) {
      const step = how.step(item);
      if (seen.has(step)) throw new InvalidList(`${path}: duplicate entries for key ${stepText(step)}`);
      seen.add(step);
      checkLists(how.items, item, path + stepText(step));
    }
  }
}

/** The fields that a value sets. */
export function listFields(schema: Schema, value: JsonValue): FieldSet {
  const how = view(schema, value);
  const members: string[] = [];
  const children: [string, FieldSet][] = [];
  if (how.kind === 'map' && isObject(value)) {
    for (const [name, below] of Object.entries(value)) {
      if (below === undefined) continue;
      const step = `f:${name}`;
      const isLeaf = view(how.below(name), below).kind === 'leaf';
      const isEmptyMap = isObject(below) && Object.keys(below).length === 0;
      if (isLeaf || below === null || isEmptyMap || !how.isField(name)) members.push(step);
      if (!isLeaf) children.push([step, listFields(how.below(name), below)]);
    }
  } else if (how.kind === 'list' && Array.isArray(value)) {
    for (const [step, item] of index(value, how.step)) {
      members.push(step);
      if (view(how.items, item).kind !== 'leaf') children.push([step, listFields(how.items, item)]);
    }
  }
  return new FieldSet(members, children);
}

/** `live` with the values of `config` merged into it. */
export function merge(schema: Schema, live: Maybe, config: Maybe): Maybe {
  if (config === undefined) return live;
  if (live === undefined || config === null) return config;
  const how = view(schema, config);
  if (how.kind === 'map' && isObject(live) && isObject(config)) {
    const names = new Set([...Object.keys(live), ...Object.keys(config)]);
    return Object.fromEntries([...names].map(name => [name, merge(how.below(name), live[name], config[name])]));
  }
  if (how.kind === 'list' && Array.isArray(live) && Array.isArray(config)) {
    const before = index(live, how.step);
    const wanted = index(config, how.step);
    return order([...before.keys()], [...wanted.keys()]).map(
      step => merge(how.items, before.get(step), wanted.get(step)) as JsonValue,
    );
  }
  return config;
}

/**
 * The order of a merged list: applied items keep their order, and an item that only the live list has stays before the shared item that followed
 * it.
 */
function order(live: readonly string[], wanted: readonly string[]): string[] {
  const isWanted = new Set(wanted);
  const isLive = new Set(live);
  const merged: string[] = [];
  const taken = new Set<string>();
  // The shared items in applied order; live items before the next shared one come first.
  const shared = wanted.filter(step => isLive.has(step));
  let at = 0;
  let next = 0;
  for (const step of [...wanted, undefined]) {
    while (at < live.length) {
      const item = live[at] as string;
      if (!isWanted.has(item)) merged.push(item);
      else if (!taken.has(item) && (item === step || shared[next] === item)) break;
      else if (!taken.has(item) && step === undefined) break;
      at++;
    }
    if (step === undefined) break;
    merged.push(step);
    taken.add(step);
    if (shared[next] === step) next++;
  }
  return merged;
}

/** The differences between two values. The parent of a new or removed part is itself new or removed. */
export function compare(schema: Schema, before: Maybe, after: Maybe): Comparison {
  const how = view(schema, before === undefined || before === null ? after : before);
  const steps = new Map<string, readonly [Schema, Maybe, Maybe]>();
  if (how.kind === 'map') {
    const a = isObject(before) ? before : {};
    const b = isObject(after) ? after : {};
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      steps.set(`f:${name}`, [how.below(name), a[name], b[name]]);
    }
  } else if (how.kind === 'list') {
    const a = index(before, how.step);
    const b = index(after, how.step);
    for (const step of new Set([...a.keys(), ...b.keys()])) steps.set(step, [how.items, a.get(step), b.get(step)]);
  }
  const sets = { added: new Parts(), modified: new Parts(), removed: new Parts() };
  for (const [step, [below, a, b]] of steps) {
    if (a === b) continue;
    if (a === undefined) sets.added.members.push(step);
    else if (b === undefined) sets.removed.members.push(step);
    else if (isLeafPair(below, a, b)) {
      if (!isEqual(a, b)) sets.modified.members.push(step);
      continue;
    }
    const inside = compare(below, a, b);
    sets.added.children.push([step, inside.added]);
    sets.modified.children.push([step, inside.modified]);
    sets.removed.children.push([step, inside.removed]);
  }
  return { added: sets.added.set(), modified: sets.modified.set(), removed: sets.removed.set() };
}

/** Two values that are compared as one: without parts, both empty, or of different types. */
function isLeafPair(schema: Schema, a: JsonValue, b: JsonValue): boolean {
  const kinds = [view(schema, a).kind, view(schema, b).kind];
  if (kinds.includes('leaf')) return true;
  const size = (value: JsonValue) => (typeof value === 'object' && value !== null ? Object.keys(value).length : 0);
  return size(a) === 0 && size(b) === 0;
}

class Parts {
  readonly members: string[] = [];
  readonly children: [string, FieldSet][] = [];
  set(): FieldSet {
    return new FieldSet(this.members, this.children);
  }
}

/** A value without the members of a set; parents that become empty are removed too. */
export function remove(schema: Schema, value: Maybe, gone: FieldSet): Maybe {
  if (gone.isEmpty) return value;
  const how = view(schema, value);
  if (how.kind === 'map' && isObject(value)) {
    const rest = Object.entries(value).flatMap(([name, below]) => {
      const step = `f:${name}`;
      if (gone.members.has(step)) return [];
      const inside = gone.children.get(step);
      return [[name, inside === undefined ? below : remove(how.below(name), below, inside)] as const];
    });
    return rest.length === 0 ? undefined : (Object.fromEntries(rest) as JsonObject);
  }
  if (how.kind === 'list' && Array.isArray(value)) {
    const rest = (value as readonly JsonValue[]).flatMap(item => {
      const step = how.step(item);
      if (gone.members.has(step)) return [];
      const inside = gone.children.get(step);
      const left = inside === undefined ? item : remove(how.items, item, inside);
      return left === undefined ? [] : [left];
    });
    return rest.length === 0 ? undefined : rest;
  }
  return value;
}

/** The set, with the fields that a shape names as members wherever something below them is a member. */
export function withNamedFields(schema: Schema, set: FieldSet): FieldSet {
  const found = resolve(schema.shape, schema.shapes);
  const members = new Set(set.members);
  const children: [string, FieldSet][] = [];
  for (const [step, child] of set.children) {
    let below: Schema = { shape: 'any', shapes: schema.shapes };
    if (typeof found === 'object' && 'fields' in found && step.startsWith('f:')) {
      const field = fieldOf(found, step.slice(2));
      if (field !== undefined) members.add(step);
      below = { shape: field ?? found.rest ?? 'any', shapes: schema.shapes };
    } else if (typeof found === 'object' && 'items' in found) {
      below = { shape: found.items, shapes: schema.shapes };
    }
    children.push([step, withNamedFields(below, child)]);
  }
  return new FieldSet(members, children);
}

/** The value without fields outside its shape, and without nulls; reports the paths of unknown fields. */
export function pruneUnknown(schema: Schema, value: JsonValue, unknown: (path: string) => void, path = ''): JsonValue {
  const found = resolve(schema.shape, schema.shapes);
  if (typeof found === 'string') return value;
  if ('items' in found) {
    if (!Array.isArray(value)) return value;
    const items = { shape: found.items, shapes: schema.shapes };
    return (value as readonly JsonValue[]).map((item, at) => pruneUnknown(items, item, unknown, `${path}[${at}]`));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (inner === undefined || inner === null) return [];
      const shape = fieldOf(found, name) ?? found.rest;
      if (shape === undefined) unknown(`${path}.${name}`);
      return shape === undefined
        ? []
        : [[name, pruneUnknown({ shape, shapes: schema.shapes }, inner, unknown, `${path}.${name}`)]];
    }),
  );
}
