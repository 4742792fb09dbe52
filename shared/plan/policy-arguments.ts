/**
 * The arguments of a call as policies see them. The compiler and the runtime both select arguments and refuse calls with this code, so that
 * `lintel can` gives the answer of a gateway.
 */
import { isObject } from '#schemas';
import type { CedarReads } from './cedar-reads.ts';
import { type CedarAction, type CedarTarget, isKnownToCedar } from './cedar-request.ts';
import { foldName } from './fold-name.ts';

type CallArguments = Readonly<Record<string, unknown>>;

/** Names of arguments; undefined for all, as in `context == {}`. */
export type NamedArguments = ReadonlySet<string> | undefined;

/** Attributes for arguments: `arg_<name>`, and `arg_<name>_present` for lists and objects. */
const ATTRIBUTE = /^arg_(?<name>.*?)(?<mark>_present)?$/s;

/**
 * The arguments that policies read. Callers may send any number of arguments, and Cedar takes seconds for megabytes of them, so it gets only
 * those that a policy names.
 */
export function toNamedArguments(reads: CedarReads): NamedArguments {
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

/** Limit on arguments whose names are compared: a message can hold hundreds of thousands, which would block all other requests for seconds. */
const MAX_COMPARED_ARGUMENTS = 10_000;

/**
 * Why a call is refused before its policies are evaluated; for a gateway whose policies read arguments. Parsers differ on duplicate members of
 * JSON, and some ignore the case of names, but a value that a policy has not seen must not reach the backend. So an argument is refused when its
 * name differs only in case from one that policies read, unless the item declares it.
 *
 * @param names of all arguments, in their order, duplicates included
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
  for (const value of named ?? []) {
    const name = byFolded.get(foldName(value));
    if (name === undefined || named?.has(name) === true || declares(name)) continue;
    return `params.arguments has "${name}", and policies look at "${value}": write it as it is declared`;
  }
  return undefined;
}

/**
 * Whether a tool or prompt declares an argument of exactly this name.
 *
 * @param definition as the backend lists it
 */
export function declaresArgument(action: CedarAction, definition: unknown, argument: string): boolean {
  if (!isObject(definition)) return false;
  const { inputSchema, arguments: declared } = definition;
  if (action !== 'call_tool')
    return Array.isArray(declared) && declared.some(value => isObject(value) && value.name === argument);
  return isObject(inputSchema) && isObject(inputSchema.properties) && Object.hasOwn(inputSchema.properties, argument);
}

/**
 * Limits on one evaluation by Cedar: characters of a name, characters of the arguments that policies read, and their number. At these
 * limits an evaluation takes 10 milliseconds or more, in which no other request is served.
 */
const MAX_CHARACTERS = 64 * 1024;
const MAX_ARGUMENTS = 256;

/** Cedar throws an error for half a surrogate pair. Callers can send one, so the error must not break the instance. */
const HALF_OF_A_PAIR = 'a name or an argument with half of a surrogate pair';

/** Cedar would merge such numbers into one value, so that an argument could equal a claim that is another number. */
const UNKNOWN_NUMBER =
  'an argument that is a whole number beyond 9007199254740991, or a fraction beyond 922337203685477';

export type PolicyArguments =
  /** The policies are evaluated with these arguments. */
  | { readonly type: 'asked'; readonly args: CallArguments }
  /** The call is denied without evaluating policies. */
  | { readonly type: 'denied'; readonly problem: string };

/** The arguments with which policies are evaluated. Each is checked for halves of surrogate pairs. */
export function selectPolicyArguments(
  target: CedarTarget,
  args: CallArguments,
  named: NamedArguments,
): PolicyArguments {
  if (!areWellFormed(args)) return { type: 'denied', problem: HALF_OF_A_PAIR };
  const picked = pickNamed(args, named);
  const problem = findUndecidable(target, picked);
  return problem === undefined ? { type: 'asked', args: picked } : { type: 'denied', problem };
}

/** The named arguments of a call. */
export function pickNamed(args: CallArguments, names: NamedArguments): CallArguments {
  if (names === undefined) return args;
  return Object.fromEntries([...names].flatMap(name => (Object.hasOwn(args, name) ? [[name, args[name]]] : [])));
}

/** Why Cedar cannot evaluate the arguments. Of lists and objects policies only see that they are present. */
export function findUndecidable({ name }: CedarTarget, args: CallArguments): string | undefined {
  const members = Object.entries(args);
  const texts = [name, ...members.flatMap(([key, value]) => (typeof value === 'string' ? [key, value] : [key]))];
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters > MAX_CHARACTERS || members.length > MAX_ARGUMENTS) {
    return `a name and arguments of more than ${MAX_CHARACTERS} characters, or more than ${MAX_ARGUMENTS} arguments`;
  }
  if (members.some(([, value]) => typeof value === 'number' && !isKnownToCedar(value))) return UNKNOWN_NUMBER;
  return name.isWellFormed() && areWellFormed(args) ? undefined : HALF_OF_A_PAIR;
}

function areWellFormed(args: CallArguments): boolean {
  return Object.entries(args).every(
    ([name, value]) => name.isWellFormed() && (typeof value !== 'string' || value.isWellFormed()),
  );
}
