/** Tests name a rule by its function; the lists of rules know its file. */
export function findRule<R extends (...args: never[]) => unknown>(rules: readonly R[], name: string): R {
  const rule = rules.find(one => one.name === name);
  if (rule === undefined) throw new Error(`no rule ${name} in the list`);
  return rule;
}
