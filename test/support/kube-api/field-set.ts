/**
 * Sets of fields of an object, in the format of `metadata.managedFields` (`fieldsV1`): trees whose steps are `f:name`, `k:{keys of an item}`,
 * `v:value of a set` and `i:index`. A step can be a member, have members below it, or both.
 */
import type { JsonObject, JsonValue } from './json.ts';

export class FieldSet {
  readonly members: ReadonlySet<string>;
  readonly children: ReadonlyMap<string, FieldSet>;

  constructor(members: Iterable<string> = [], children: Iterable<readonly [string, FieldSet]> = []) {
    this.members = new Set(members);
    this.children = new Map([...children].filter(([, child]) => !child.isEmpty));
  }

  static readonly EMPTY: FieldSet = new FieldSet();

  /** The set of these paths, each a list of steps. */
  static of(...paths: readonly (readonly string[])[]): FieldSet {
    return paths.reduce<FieldSet>((all, path) => all.union(FieldSet.#path(path)), FieldSet.EMPTY);
  }

  static #path([step = '', ...rest]: readonly string[]): FieldSet {
    return rest.length === 0 ? new FieldSet([step]) : new FieldSet([], [[step, FieldSet.#path(rest)]]);
  }

  static parse(fieldsV1: JsonObject): FieldSet {
    const members: string[] = [];
    const children: [string, FieldSet][] = [];
    for (const [step, below] of Object.entries(fieldsV1)) {
      if (step === '.') continue;
      const node = (below ?? {}) as JsonObject;
      const isLeaf = Object.keys(node).length === 0;
      if (isLeaf || node['.'] !== undefined) members.push(step);
      if (!isLeaf) children.push([step, FieldSet.parse(node)]);
    }
    return new FieldSet(members, children);
  }

  toFieldsV1(): JsonObject {
    const steps = [...new Set([...this.members, ...this.children.keys()])].sort();
    return Object.fromEntries(
      steps.map(step => {
        const below = this.children.get(step);
        if (below === undefined) return [step, {}];
        return [step, { ...(this.members.has(step) && { '.': {} }), ...below.toFieldsV1() }];
      }),
    );
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  union(other: FieldSet): FieldSet {
    if (this.isEmpty) return other;
    if (other.isEmpty) return this;
    const children = new Map(this.children);
    for (const [step, child] of other.children) children.set(step, children.get(step)?.union(child) ?? child);
    return new FieldSet([...this.members, ...other.members], children);
  }

  intersection(other: FieldSet): FieldSet {
    return new FieldSet(
      [...this.members].filter(step => other.members.has(step)),
      [...this.children].map(([step, child]) => [step, child.intersection(other.children.get(step) ?? FieldSet.EMPTY)]),
    );
  }

  /** The set without the members of `other`. Members below a member of `other` stay. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return new FieldSet(
      [...this.members].filter(step => !other.members.has(step)),
      [...this.children].map(([step, child]) => [step, child.difference(other.children.get(step) ?? FieldSet.EMPTY)]),
    );
  }

  isEqualTo(other: FieldSet): boolean {
    return (
      this.members.size === other.members.size &&
      [...this.members].every(step => other.members.has(step)) &&
      this.children.size === other.children.size &&
      [...this.children].every(([step, child]) => other.children.get(step)?.isEqualTo(child) === true)
    );
  }

  /** The members in the format of messages, sorted: `.spec.containers[name="a"].image`. */
  paths(): string[] {
    const steps = [...new Set([...this.members, ...this.children.keys()])].sort();
    return steps.flatMap(step => {
      const text = stepText(step);
      const below = this.children.get(step)?.paths() ?? [];
      return [...(this.members.has(step) ? [text] : []), ...below.map(path => text + path)];
    });
  }
}

/** A step in the format of messages: `.name`, `[name="a"]`. */
export function stepText(step: string): string {
  const rest = step.slice(2);
  switch (step[0]) {
    case 'f':
      return `.${rest}`;
    case 'k': {
      const keys = Object.entries(JSON.parse(rest) as { [key: string]: JsonValue });
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${rest}]`;
    default:
      return `[${rest}]`;
  }
}
