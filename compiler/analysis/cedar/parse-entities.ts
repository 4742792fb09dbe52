import type { Entities } from '@cedar-policy/cedar-wasm/nodejs';
import { formatEntityUid, parseEntityUid } from './expression.ts';
import { callCedar } from './load-cedar.ts';
import type { StaticEntities } from './partial-request.ts';

export type ParsedEntities =
  | { readonly entities: StaticEntities; readonly written: Entities }
  | { readonly problem: string };

/** The entities of a spec in Cedar's form. */
export function parseEntities(text: string): ParsedEntities {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { problem: 'not JSON' };
  }
  if (!Array.isArray(parsed)) return { problem: 'not a list of entities' };
  const entities = parsed as Entities;
  if (entities.length === 0) return { entities: new Map(), written: entities };
  const answer = callCedar(cedar => cedar.checkParseEntities({ entities, schema: null }));
  if (answer === undefined) return { problem: 'not entities that Cedar can read' };
  if (answer.type === 'failure') {
    return { problem: answer.errors.map(({ message }) => message).join('; ') };
  }
  const found = entities.map(
    ({ uid, attrs, parents }) =>
      [formatEntityUid(parseEntityUid(uid)), { attrs, parents: parents.map(parseEntityUid) }] as const,
  );
  return { entities: new Map(found), written: entities };
}
