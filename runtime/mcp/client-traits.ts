import { iterateMembers } from './json-members.ts';

/** What a client says about itself: once in `initialize`, or in `_meta` of every request of the stateless revision. */
export interface ClientTraits {
  /** What it can be asked for, verbatim: `elicitation`, `sampling`, `roots`, … */
  readonly capabilities: { readonly [name: string]: unknown };
  /** Its name and version, verbatim; for the backend's log only. */
  readonly clientInfo?: { readonly [name: string]: unknown } | undefined;
}

/**
 * A client's description of itself, for as long as a session: kept as text, because the objects that it may write in it take twenty times
 * as much memory. Each look at it parses.
 */
export class StoredTraits implements ClientTraits {
  readonly #capabilities: string;
  readonly #clientInfo: string | undefined;

  constructor({ capabilities, clientInfo }: ClientTraits) {
    this.#capabilities = JSON.stringify(capabilities);
    this.#clientInfo = clientInfo === undefined ? undefined : JSON.stringify(clientInfo);
  }

  get capabilities(): ClientTraits['capabilities'] {
    return JSON.parse(this.#capabilities);
  }

  get clientInfo(): ClientTraits['clientInfo'] {
    return this.#clientInfo === undefined ? undefined : JSON.parse(this.#clientInfo);
  }
}

/** What we are to a backend on our own account: a client that can be asked for nothing. */
export const OURSELVES: ClientTraits = { capabilities: {} };

/** The capability that a client announces to be asked something; there is no other question in the specification. */
export const CAPABILITY_OF_REQUEST: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

/** The requests that may be answered with questions. */
export const MAY_NEED_INPUT: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/**
 * Whether a client with these capabilities has announced that it can be asked this.
 *
 * @param params of the question as JSON text, which has to be sound
 */
export function hasAnnounced(
  capabilities: ClientTraits['capabilities'],
  method: string,
  params: string | undefined,
): boolean {
  const capability = CAPABILITY_OF_REQUEST.get(method);
  if (capability === undefined || !Object.hasOwn(capabilities, capability)) return false;
  return method !== 'elicitation/create' || takesModes(capabilities[capability], modesIn(params));
}

/** An `elicitation` that names no mode is for forms: there was no other when it had no members. */
function takesModes(elicitation: unknown, modes: readonly string[]): boolean {
  const announced = typeof elicitation === 'object' && elicitation !== null ? elicitation : {};
  const isForForms = Object.hasOwn(announced, 'form') || !Object.hasOwn(announced, 'url');
  return modes.every(mode => (mode === 'form' ? isForForms : Object.hasOwn(announced, mode)));
}

/** The modes that an elicitation may be read to have: parsers differ on what stands twice, and on case. */
function modesIn(params: string | undefined): readonly string[] {
  const modes: string[] = [];
  if (params?.startsWith('{') === true) {
    for (const { name, start, end } of iterateMembers(params, 0)) {
      if (name.toLowerCase() === 'mode') modes.push(String(JSON.parse(params.slice(start, end))));
    }
  }
  return modes.length === 0 ? ['form'] : modes;
}
