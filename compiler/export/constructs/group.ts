import { construct, Fields, type Writing } from './construct.ts';

/** `new Group(…)`. */
export function group(writing: Writing) {
  const fields = new Fields(writing);
  const naming = fields.naming();
  return { code: construct('new Group', writing, [...naming, ...fields.rest()]) };
}
