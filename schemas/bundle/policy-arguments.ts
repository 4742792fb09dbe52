/**
 * The arguments of a call as policies see them. Compiler and runtime ask with what is picked here and refuse what is refused here, so that
 * `lintel can` answers as a gateway does.
 */
import { isObject } from '../json-object.ts';
import type { CedarReads } from './cedar-reads.ts';
import { type CedarAction, type CedarTarget, isKnownToCedar } from './cedar-request.ts';
import { foldName } from './fold-name.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Names of arguments; undefined for all, as in `context == {}`. */
export type NamedArguments = ReadonlySet<string> | undefined;

/** Attributes of arguments: `arg_<name>`, and `arg_<name>_present` for lists and objects. */
const ATTRIBUTE = /^arg_(?<name>.*?)(?<mark>_present)?$/s;

/**
 * The arguments that policies look at. Callers send as many as they like, and Cedar takes seconds for megabytes of them: it
 * gets those that some policy names, and no others.
 */
export function namedArguments(reads: CedarReads): NamedArguments {
  if (reads === undefined) return undefined;
  const names = new Set<string>();
  for (const attribute of reads) addNames(names, attribute);
  return names;
}

function addNames(names: Set<string>, attribute: string): void {
  const { name, mark } = ATTRIBUTE.exec(attribute)?.groups ?? {};
  if (name === undefined) return;
  names.add(name);
  if (mark !== undefined) names.add(name + mark);
}

/** Limit on arguments whose names are compared: hundreds of thousands fit into a message, and would keep all other requests waiting for seconds. */
const MAX_COMPARED_ARGUMENTS = 10_000;

/**
 * Why a call is refused before policies are asked, for a gateway whose policies look at arguments. JSON lets parsers differ on members
 * that are there twice, and some match names without regard to case: what a policy has not seen must not reach the backend. So an argument
 * with the name of one that policies look at in other cases is refused, unless the item has it by that very name.
 *
 * @param names of all arguments, in their order, each as often as it is there
 * @param declares whether the tool or prompt declares an argument of that name
 */
export function findAmbiguousArgument(
  names: Iterable<string>,
  named: NamedArguments,
  declares: (name: string) => boolean,
): string | undefined {
  const byFolded = new Map<string, string>();
  for (const name of names) {
    const folded = foldName(name);
    if (byFolded.has(folded)) return `params.arguments has several members called "${name}"`;
    byFolded.set(folded, name);
    if (byFolded.size > MAX_COMPARED_ARGUMENTS)
      return `params.arguments has more than ${MAX_COMPARED_ARGUMENTS} members`;
  }
  for (const one of named ?? []) {
    const name = byFolded.get(foldName(one));
    if (name === undefined || named?.has(name) === true || declares(name)) continue;
    return `params.arguments has "${name}", and policies look at "${one}": write it as it is declared`;
  }
  return undefined;
}

/**
 * Whether a tool or prompt says that it has an argument of this very name.
 *
 * @param definition as the backend lists it
 */
export function declaresArgument(action: CedarAction, definition: unknown, argument: string): boolean {
  if (!isObject(definition)) return false;
  const { inputSchema, arguments: declared } = definition;
  if (action !== 'call_tool')
    return Array.isArray(declared) && declared.some(one => isObject(one) && one.name === argument);
  return isObject(inputSchema) && isObject(inputSchema.properties) && Object.hasOwn(inputSchema.properties, argument);
}

/**
 * Limits on what Cedar is asked about at once: characters of a name and of the arguments that policies look at, and how many
 * these are. It takes 10 milliseconds or more for so much, in which no other request is served.
 */
const MAX_CHARACTERS = 64 * 1024;
const MAX_ARGUMENTS = 256;

/** Cedar fails at it. Callers can send it, so it must not cost an instance. */
const HALF_OF_A_PAIR = 'a name or an argument with half of a surrogate pair';

/** All of them are one value to Cedar, so that an argument would be equal to a claim that is another number. */
const UNKNOWN_NUMBER =
  'an argument that is a whole number beyond 9007199254740991, or a fraction beyond 922337203685477';

export type PolicyArguments =
  /** Policies are asked with these. */
  | { readonly type: 'asked'; readonly args: Arguments }
  /** The call is denied without asking. */
  | { readonly type: 'denied'; readonly problem: string };

/** The arguments of a call that policies are evaluated with. Each of them counts for halves of surrogate pairs. */
export function policyArguments(target: CedarTarget, args: Arguments, named: NamedArguments): PolicyArguments {
  if (!areWellFormed(args)) return { type: 'denied', problem: HALF_OF_A_PAIR };
  const picked = pickNamed(args, named);
  const problem = findUndecidable(target, picked);
  return problem === undefined ? { type: 'asked', args: picked } : { type: 'denied', problem };
}

/** The arguments of a call that are named. */
export function pickNamed(args: Arguments, names: NamedArguments): Arguments {
  if (names === undefined) return args;
  return Object.fromEntries([...names].flatMap(name => (Object.hasOwn(args, name) ? [[name, args[name]]] : [])));
}

/** Why Cedar must not be asked. Of arrays and objects policies see only that they are there. */
export function findUndecidable({ name }: CedarTarget, args: Arguments): string | undefined {
  const members = Object.entries(args);
  const texts = [name, ...members.flatMap(([key, value]) => (typeof value === 'string' ? [key, value] : [key]))];
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters > MAX_CHARACTERS || members.length > MAX_ARGUMENTS) {
    return `a name and arguments of more than ${MAX_CHARACTERS} characters, or more than ${MAX_ARGUMENTS} arguments`;
  }
  if (members.some(([, value]) => typeof value === 'number' && !isKnownToCedar(value))) return UNKNOWN_NUMBER;
  return name.isWellFormed() && areWellFormed(args) ? undefined : HALF_OF_A_PAIR;
}

function areWellFormed(args: Arguments): boolean {
  return Object.entries(args).every(
    ([name, value]) => name.isWellFormed() && (typeof value !== 'string' || value.isWellFormed()),
  );
}
