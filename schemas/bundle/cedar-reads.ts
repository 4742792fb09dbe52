/**
 * The attributes that policies look at. Claims and arguments are as many as identity providers and callers like, and Cedar
 * takes longest to read them: it gets those that some policy names. Compiler and runtime leave out the same, so that what only
 * an unread claim could spoil is decided alike.
 */

/** Names of attributes, such as `claim_team` and `arg_branch`; undefined where some policy looks at all there are, as in `context == {}`. */
export type CedarReads = ReadonlySet<string> | undefined;

/**
 * All attributes that are read of anything.
 *
 * @param policies as Cedar's parser gives them (its JSON form)
 */
export function cedarReads(policies: readonly unknown[]): CedarReads {
  const names = new Set<string>();
  const waiting: unknown[] = [...policies];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part !== 'object' || part === null) continue;
    const { Var, attr, left, ...others } = part as Readonly<Record<string, unknown>>;
    if (Var === 'context') return undefined;
    const attributes = attributesIn(attr);
    for (const attribute of attributes) names.add(attribute);
    // An attribute is read of the context without reading the context as a whole.
    if (attributes.length === 0 || !isContext(left)) waiting.push(left);
    waiting.push(Var, attr);
    // A set of a policy may have more members than a call has arguments.
    for (const other of Object.values(others)) waiting.push(other);
  }
  return names;
}

/** One, or several in a row as in `has a.b`; none where a record has a member of that name. */
function attributesIn(attr: unknown): readonly string[] {
  return [attr].flat().filter(one => typeof one === 'string');
}

function isContext(part: unknown): boolean {
  return typeof part === 'object' && part !== null && (part as { readonly Var?: unknown }).Var === 'context';
}
