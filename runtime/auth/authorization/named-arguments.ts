/**
 * The arguments that policies look at. Callers send as many as they like, and Cedar takes seconds for megabytes of them: it
 * gets those that some policy names, and no others.
 */
import type { CedarReads } from '#schemas';

type Arguments = Readonly<Record<string, unknown>>;

/** Names of arguments; undefined for all, as in `context == {}`. */
export type NamedArguments = ReadonlySet<string> | undefined;

/** Attributes of arguments: `arg_<name>`, and `arg_<name>_present` for lists and objects. */
const ATTRIBUTE = /^arg_(?<name>.*?)(?<mark>_present)?$/s;

export function namedArguments(reads: CedarReads): NamedArguments {
  if (reads === undefined) return undefined;
  const names = new Set<string>();
  for (const attribute of reads) addNames(names, attribute);
  return names;
}

/** Those of the arguments that are named. */
export function pickNamed(args: Arguments, names: NamedArguments): Arguments {
  if (names === undefined) return args;
  return Object.fromEntries([...names].flatMap(name => (Object.hasOwn(args, name) ? [[name, args[name]]] : [])));
}

function addNames(names: Set<string>, attribute: string): void {
  const { name, mark } = ATTRIBUTE.exec(attribute)?.groups ?? {};
  if (name === undefined) return;
  names.add(name);
  if (mark !== undefined) names.add(name + mark);
}
