import type { Entities } from '@cedar-policy/cedar-wasm/nodejs';
import { keyOf, uidOf } from './expression.ts';
import type { StaticEntities } from './known-world.ts';
import { askCedar } from './load-cedar.ts';

export type ParsedEntities =
  | { readonly entities: StaticEntities; readonly written: Entities }
  | { readonly problem: string };

/** Entities of a spec, as Cedar takes them. */
export function parseEntities(text: string): ParsedEntities {
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch {
    return { problem: 'not JSON' };
  }
  if (!Array.isArray(written)) return { problem: 'not a list of entities' };
  const entities = written as Entities;
  if (entities.length === 0) return { entities: new Map(), written: entities };
  const answer = askCedar(cedar => cedar.checkParseEntities({ entities, schema: null }));
  if (answer === undefined) return { problem: 'not entities that Cedar can read' };
  if (answer.type === 'failure') {
    return { problem: answer.errors.map(({ message }) => message).join('; ') };
  }
  const found = entities.map(
    ({ uid, attrs, parents }) => [keyOf(uidOf(uid)), { attrs, parents: parents.map(uidOf) }] as const,
  );
  return { entities: new Map(found), written: entities };
}
