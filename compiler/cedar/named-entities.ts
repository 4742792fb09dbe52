import type { EntityUid } from './expression.ts';
import type { Part } from './placed-text.ts';

export interface NamedEntity {
  readonly uid: EntityUid;
  readonly part: Part;
}

/** A comment, an entity, or a string that is none. */
const TOKEN = /\/\/[^\n]*|((?:[A-Za-z_]\w*\s*::\s*)+)"((?:[^"\\]|\\[\s\S])*)"|"(?:[^"\\]|\\[\s\S])*"/g;

/** The entities that a policy names, such as `Tool::"search"`, in the order of its text. */
export function namedEntities(policy: string): readonly NamedEntity[] {
  return [...policy.matchAll(TOKEN)].flatMap(({ 0: text, 1: type, 2: id, index }) => {
    if (type === undefined || id === undefined) return [];
    const uid = { type: type.replace(/\s/g, '').slice(0, -2), id: idOf(id) };
    return [{ uid, part: { offset: index, length: text.length } }];
  });
}

const SINGLE: ReadonlyMap<string, string> = new Map(Object.entries({ n: '\n', r: '\r', t: '\t', '0': '\0' }));

function idOf(id: string): string {
  return id.replace(/\\(?:u\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|([\s\S]))/g, (_, code, byte, single) =>
    single === undefined ? String.fromCodePoint(Number.parseInt(code ?? byte, 16)) : (SINGLE.get(single) ?? single),
  );
}
