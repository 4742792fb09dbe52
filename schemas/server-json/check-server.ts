import { getMember } from '../json-object.ts';
import { MAX_PROBLEMS, type ServerProblem } from './problem.ts';
import { DEFAULT_SCHEMA_DATE, formatSchemaMessage, isNewerSchema, parseSchemaDate, SCHEMA_DATES } from './published.ts';
import { getServerShape } from './server-shape.ts';
import { findSizeProblem } from './size.ts';

const SHAPES = new Map(SCHEMA_DATES.map(date => [date, getServerShape(date)]));

/**
 * The violations in one `server.json`, by the version that its `$schema` names, or by 2025-12-11 when it names none; empty for a valid one. It
 * throws for no value.
 *
 * @param newer how to treat a version newer than all known ones: as an error, or as the newest known version
 */
export function checkServer(server: unknown, newer: 'refused' | 'judged' = 'refused'): readonly ServerProblem[] {
  const tooLarge = findSizeProblem(server);
  if (tooLarge !== undefined) return [tooLarge];
  const $schema = getMember(server, '$schema');
  const date =
    parseSchemaDate($schema) ?? (newer === 'judged' && isNewerSchema($schema) ? DEFAULT_SCHEMA_DATE : undefined);
  if (date === undefined) return [{ pointer: '/$schema', message: formatSchemaMessage($schema), kind: 'schema' }];
  const problems: ServerProblem[] = [];
  SHAPES.get(date)?.(server, '', problems);
  return problems.slice(0, MAX_PROBLEMS);
}
