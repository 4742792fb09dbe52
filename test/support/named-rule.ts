/** Tests name the rule that they run, as its function is called: which file holds it is left to the lists of rules. */
export function findRule<R extends (...args: never[]) => unknown>(rules: readonly R[], name: string): R {
  const rule = rules.find(one => one.name === name);
  if (rule === undefined) throw new Error(`no rule ${name} in the list`);
  return rule;
}
