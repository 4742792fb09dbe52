/** Computes the smallest number of branches of a union type that allow exactly what a set of formulas allows. */

import type { StructuralSchema } from '../structural-schema.ts';
import { collectPaths, type FieldPath, type Formula, holds } from './formula.ts';

/** The field is absent, has any value, or has this value. */
export type FieldState = typeof ABSENT | typeof PRESENT | string | boolean;
export const ABSENT: unique symbol = Symbol('absent');
export const PRESENT: unique symbol = Symbol('present');

const ABSENT_ONLY: readonly FieldState[] = [ABSENT];

/** The allowed states of each field whose parent is present, by its dotted path. */
export type Branch = ReadonlyMap<string, readonly FieldState[]>;

type Assignment = ReadonlyMap<string, FieldState>;

/**
 * The branches for the fields that occur in the formulas, each as wide as possible.
 *
 * @throws Error when a formula names an unknown field, or when nothing satisfies the formulas
 */
export function computeBranches(schema: StructuralSchema, formulas: readonly Formula[]): Branch[] {
  const names = new Set(
    formulas.flatMap(collectPaths).flatMap(path => path.map((_, end) => path.slice(0, end + 1).join('.'))),
  );
  const paths = [...names];
  const allowed = listAssignments(schema, paths).filter(assignment =>
    formulas.every(formula => holds(formula, path => getEffectiveValue(schema, path, assignment))),
  );
  if (allowed.length === 0) throw new Error(`no object of ${schema.title} satisfies its rules`);
  return widenBranches(schema, split(schema, paths, allowed), allowed);
}

/**
 * Widens branches until they may overlap: `a?` with `b`, or `a` with `b?`. So the type also takes a value for which the type checker does not
 * know whether both are set. A field with a choice of values keeps its values, so that it still distinguishes the branches.
 */
function widenBranches(
  schema: StructuralSchema,
  branches: readonly Branch[],
  allowed: readonly Assignment[],
): Branch[] {
  const keys = new Set(allowed.map(formatKey));
  const isAllowed = (branch: Branch): boolean =>
    listAssignmentsWithin(schema, branch).every(assignment => keys.has(formatKey(assignment)));
  const wide = branches.map(branch => {
    const result = new Map(branch);
    for (const path of branch.keys()) {
      if (!path.includes('.') && getField(schema, [path]).enum) continue;
      for (const state of listFieldStates(allowed, path)) {
        const wider = new Map<string, readonly FieldState[]>(result);
        wider.set(path, [...new Set<FieldState>([...(result.get(path) ?? []), state])]);
        if (isAllowed(wider)) result.set(path, wider.get(path) ?? []);
      }
    }
    return { branch: result, keys: new Set(listAssignmentsWithin(schema, result).map(formatKey)) };
  });
  const narrowed = wide.filter(
    ({ keys }, index) =>
      !wide.some(
        (other, at) =>
          at !== index && [...keys].every(key => other.keys.has(key)) && (keys.size < other.keys.size || at < index),
      ),
  );
  return narrowed.map(({ branch }) => branch);
}

/** The schema at a path of field names. @throws Error when there is none */
export function getField(schema: StructuralSchema, path: FieldPath): StructuralSchema {
  return path.reduce((at, name) => {
    const field = at.properties?.[name];
    if (!field) throw new Error(`${schema.title}: a rule names "${path.join('.')}", which is no field`);
    return field;
  }, schema);
}

/** Whether the field is required in its parent. */
export function isRequired(schema: StructuralSchema, path: FieldPath): boolean {
  const parent = getField(schema, path.slice(0, -1));
  return parent.required?.includes(path.at(-1) ?? '') ?? false;
}

function listStates(schema: StructuralSchema, path: FieldPath): FieldState[] {
  const field = getField(schema, path);
  const values = field.type === 'boolean' ? [false, true] : (field.enum as readonly string[] | undefined);
  const present: FieldState[] = values ? [...values] : [PRESENT];
  return isRequired(schema, path) && path.length === 1 ? present : [ABSENT, ...present];
}

function listAssignments(schema: StructuralSchema, paths: readonly string[]): Assignment[] {
  let all: Assignment[] = [new Map()];
  for (const path of paths)
    all = all.flatMap(assignment =>
      listStates(schema, path.split('.')).map(state => new Map([...assignment, [path, state]])),
    );
  return all.filter(assignment => isPossible(schema, assignment));
}

/** A field inside an absent one is absent, and a required field of a present one is present. */
function isPossible(schema: StructuralSchema, assignment: Assignment): boolean {
  return [...assignment].every(([name, state]) => {
    const path = name.split('.');
    if (path.length === 1) return true;
    const parent = assignment.get(path.slice(0, -1).join('.'));
    if (parent === ABSENT) return state === ABSENT;
    return state !== ABSENT || !isRequired(schema, path);
  });
}

/** The formula after defaults are filled in, because the API server evaluates rules after that. */
function getEffectiveValue(schema: StructuralSchema, path: FieldPath, assignment: Assignment): unknown {
  const state = assignment.get(path.join('.'));
  if (state !== ABSENT) return state;
  const parent = path.length === 1 ? PRESENT : assignment.get(path.slice(0, -1).join('.'));
  return parent === ABSENT ? undefined : getField(schema, path).default;
}

function split(schema: StructuralSchema, paths: readonly string[], allowed: readonly Assignment[]): Branch[] {
  const branch: Branch = new Map(paths.map(path => [path, listFieldStates(allowed, path)]));
  if (isWhole(schema, branch, allowed.length)) return [branch];
  const open = paths.filter(path => (branch.get(path)?.length ?? 0) > 1);
  // Splits on a field with a choice of values first, because readers of the union look at it first.
  const leading = open.filter(path => getField(schema, path.split('.')).enum);
  const candidates = (leading.length > 0 ? leading : open).map(path =>
    groupAssignments(path, paths, allowed).flatMap(group => split(schema, paths, group)),
  );
  return candidates.reduce((best, other) => (other.length < best.length ? other : best));
}

/** Groups the values of one field after which the other fields have the same possibilities. */
function groupAssignments(path: string, paths: readonly string[], allowed: readonly Assignment[]): Assignment[][] {
  const groups = new Map<string, Assignment[]>();
  for (const state of listValues(allowed, path)) {
    const group = allowed.filter(assignment => assignment.get(path) === state);
    const rest = group.map(assignment =>
      paths.filter(other => other !== path).map(other => String(assignment.get(other))),
    );
    const key = JSON.stringify(rest);
    groups.set(key, [...(groups.get(key) ?? []), ...group]);
  }
  // All values are in one group: the field is independent of the others, so there is no reason to split by it.
  return groups.size > 1
    ? [...groups.values()]
    : listValues(allowed, path).map(state => allowed.filter(assignment => assignment.get(path) === state));
}

/** The states that a field may have when its parent is present. */
function listFieldStates(allowed: readonly Assignment[], path: string): FieldState[] {
  return listValues(
    allowed.filter(assignment => !isInsideAbsent(assignment, path)),
    path,
  );
}

function listValues(allowed: readonly Assignment[], path: string): FieldState[] {
  return [...new Set(allowed.map(assignment => assignment.get(path) ?? ABSENT))];
}

function isInsideAbsent(assignment: Assignment, path: string): boolean {
  return path.includes('.') && assignment.get(path.slice(0, path.lastIndexOf('.'))) === ABSENT;
}

/** Whether a branch allows every combination of the states of its fields. */
function isWhole(schema: StructuralSchema, branch: Branch, count: number): boolean {
  return listAssignmentsWithin(schema, branch).length === count;
}

/** Every possible combination of the states of a branch's fields; parents come before their fields. */
function listAssignmentsWithin(schema: StructuralSchema, branch: Branch): Assignment[] {
  let all: Assignment[] = [new Map()];
  for (const [path, states] of branch)
    all = all.flatMap(assignment =>
      (isInsideAbsent(assignment, path) ? ABSENT_ONLY : states).map(
        (state): Assignment => new Map<string, FieldState>([...assignment, [path, state]]),
      ),
    );
  return all.filter(assignment => isPossible(schema, assignment));
}

function formatKey(assignment: Assignment): string {
  return [...assignment.values()].map(String).join();
}
