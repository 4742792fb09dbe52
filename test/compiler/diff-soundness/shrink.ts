/** Shrinks a pair: leaves out parts and reverts changes as long as the pair shows the same failure. */
import type { Design } from './design.ts';

interface Pair {
  readonly before: Design;
  readonly after: Design;
}

type Path = readonly (string | number)[];

/** @param shows whether a pair still shows the failure; may throw for an invalid pair */
export async function shrunk(pair: Pair, shows: (pair: Pair) => Promise<boolean>): Promise<Pair> {
  let smallest = pair;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smallerThan(smallest)) {
      if (!(await shows(candidate).catch(() => false))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan({ before, after }: Pair): Iterable<Pair> {
  const paths = [...pathsIn(before), ...pathsIn(after)].sort((a, b) => a.length - b.length);
  // Reverts a difference.
  for (const path of paths) {
    if (JSON.stringify(at(before, path)) === JSON.stringify(at(after, path))) continue;
    const copy = structuredClone(after);
    if (put(copy, path, at(before, path)) && JSON.stringify(copy) !== JSON.stringify(before))
      yield { before, after: copy };
  }
  // Removes a part from both sides.
  for (const path of paths) {
    const copies = [structuredClone(before), structuredClone(after)] as const;
    const removed = copies.map(copy => put(copy, path, undefined));
    if (removed.includes(true)) yield { before: copies[0], after: copies[1] };
  }
}

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return path.length === 0 ? [] : [path];
  const inner = Object.keys(value).flatMap(key =>
    pathsIn((value as Record<string, unknown>)[key], [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return path.length === 0 ? inner : [path, ...inner];
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown> | undefined)?.[step], value);
}

/** Whether the value changed; `undefined` removes it. */
function put(value: object, path: Path, member: unknown): boolean {
  const last = path.at(-1) as string | number;
  const holder = at(value, path.slice(0, -1));
  if (typeof holder !== 'object' || holder === null) return false;
  const members = holder as Record<string | number, unknown>;
  if (member !== undefined) members[last] = structuredClone(member);
  else if (!(last in members)) return false;
  else if (Array.isArray(holder)) holder.splice(last as number, 1);
  else delete members[last];
  return true;
}
