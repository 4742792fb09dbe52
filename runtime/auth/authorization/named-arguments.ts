/**
 * The arguments that policies look at. Callers send as many as they like, and Cedar takes seconds for megabytes of them: it
 * gets those that some policy names, and no others.
 */
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';

type Arguments = Readonly<Record<string, unknown>>;

/** Names of arguments; undefined for all, as in `context == {}`. */
export type NamedArguments = ReadonlySet<string> | undefined;

/** Attributes of arguments: `arg_<name>`, and `arg_<name>_present` for lists and objects. */
const ATTRIBUTE = /^arg_(?<name>.*?)(?<mark>_present)?$/s;

/** @param policies as Cedar's parser gives them */
export function namedArguments(policies: readonly PolicyJson[]): NamedArguments {
  const names = new Set<string>();
  const waiting: unknown[] = [...policies];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part !== 'object' || part === null) continue;
    const { Var, attr, left, ...others } = part as Readonly<Record<string, unknown>>;
    if (Var === 'context') return undefined;
    const attributes = attributesIn(attr);
    for (const attribute of attributes) addNames(names, attribute);
    // An attribute is read of the context without reading the context as a whole.
    if (attributes.length === 0 || !isContext(left)) waiting.push(left);
    waiting.push(Var, attr, ...Object.values(others));
  }
  return names;
}

/** Those of the arguments that are named. */
export function pickNamed(args: Arguments, names: NamedArguments): Arguments {
  if (names === undefined) return args;
  return Object.fromEntries([...names].flatMap(name => (Object.hasOwn(args, name) ? [[name, args[name]]] : [])));
}

/** One, or several in a row as in `has a.b`; none where a record has a member of that name. */
function attributesIn(attr: unknown): readonly string[] {
  return [attr].flat().filter(one => typeof one === 'string');
}

function addNames(names: Set<string>, attribute: string): void {
  const { name, mark } = ATTRIBUTE.exec(attribute)?.groups ?? {};
  if (name === undefined) return;
  names.add(name);
  if (mark !== undefined) names.add(name + mark);
}

function isContext(part: unknown): boolean {
  return typeof part === 'object' && part !== null && (part as { readonly Var?: unknown }).Var === 'context';
}
