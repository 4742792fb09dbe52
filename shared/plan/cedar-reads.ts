/**
 * The attributes that policies read. Callers and identity providers may send any number of claims and arguments, and converting them takes
 * most of Cedar's time, so Cedar gets only the attributes that a policy names. Compiler and runtime leave out the same attributes, so that
 * an unread claim affects neither of them.
 */

/** Names of attributes, such as `claim_team` and `arg_branch`; undefined when a policy reads the whole record, as in `context == {}`. */
export type CedarReads = ReadonlySet<string> | undefined;

/**
 * All attributes that the policies read.
 *
 * @param policies in the JSON form of Cedar's parser
 */
export function readCedarUses(policies: readonly unknown[]): CedarReads {
  const names = new Set<string>();
  const waiting: unknown[] = [...policies];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part !== 'object' || part === null) continue;
    const { Var, attr, left, ...others } = part as Readonly<Record<string, unknown>>;
    if (Var === 'context') return undefined;
    const attributes = listAttributes(attr);
    for (const attribute of attributes) names.add(attribute);
    // Reading one attribute of the context does not read the whole context.
    if (attributes.length === 0 || !isContext(left)) waiting.push(left);
    waiting.push(Var, attr);
    // Not spread into arguments: a set in a policy may be larger than the number of arguments that a call can have.
    for (const other of Object.values(others)) waiting.push(other);
  }
  return names;
}

/** One name, or several for `has a.b`; empty when the record itself has a member of that name. */
function listAttributes(attr: unknown): readonly string[] {
  return [attr].flat().filter(value => typeof value === 'string');
}

function isContext(part: unknown): boolean {
  return typeof part === 'object' && part !== null && (part as { readonly Var?: unknown }).Var === 'context';
}
