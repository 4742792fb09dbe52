import { getMember } from '../json-object.ts';
import { MAX_PROBLEMS, type ServerProblem } from './problem.ts';
import { DEFAULT_SCHEMA_DATE, isNewerSchema, SCHEMA_DATES, schemaDate, schemaMessage } from './published.ts';
import { serverShape } from './server-shape.ts';
import { sizeProblem } from './size.ts';

const SHAPES = new Map(SCHEMA_DATES.map(date => [date, serverShape(date)]));

/**
 * The problems of one `server.json`, judged by the version that its `$schema` names, or by 2025-12-11 when it has none; empty
 * for a good one. It never throws, whatever the value is.
 *
 * @param newer what becomes of a version that was published after the newest one that is known here: its author is asked to correct
 *   it, or it is judged by the newest known one
 */
export function checkServer(server: unknown, newer: 'refused' | 'judged' = 'refused'): readonly ServerProblem[] {
  const tooLarge = sizeProblem(server);
  if (tooLarge !== undefined) return [tooLarge];
  const $schema = getMember(server, '$schema');
  const date = schemaDate($schema) ?? (newer === 'judged' && isNewerSchema($schema) ? DEFAULT_SCHEMA_DATE : undefined);
  if (date === undefined) return [{ pointer: '/$schema', message: schemaMessage($schema), kind: 'schema' }];
  const problems: ServerProblem[] = [];
  SHAPES.get(date)?.(server, '', problems);
  return problems.slice(0, MAX_PROBLEMS);
}
