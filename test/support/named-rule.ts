/** Finds a rule in a list by the name of its function, by which tests name rules. */
export function findRule<R extends (...args: never[]) => unknown>(rules: readonly R[], name: string): R {
  const rule = rules.find(one => one.name === name);
  if (rule === undefined) throw new Error(`no rule ${name} in the list`);
  return rule;
}
