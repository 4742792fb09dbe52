import { iterateMembers } from './json/members.ts';

/** A client's description of itself: once in `initialize`, or in `_meta` of every request of the stateless revision. */
export interface ClientTraits {
  /** The client's capabilities, verbatim: `elicitation`, `sampling`, `roots`, … */
  readonly capabilities: { readonly [name: string]: unknown };
  /** The client's name and version, verbatim; backends only log them. */
  readonly clientInfo?: { readonly [name: string]: unknown } | undefined;
}

/**
 * A client's description of itself, kept for the whole session as text, because the client's objects take twenty times as much memory. Each
 * access parses.
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

/** How the gateway describes itself in its own requests to backends: as a client without capabilities. */
export const OURSELVES: ClientTraits = { capabilities: {} };

/** The capability that a client must announce to accept a request; the specification has no other requests to clients. */
export const CAPABILITY_OF_REQUEST: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

/** The requests of clients that a server may answer with questions to the client (`input_required`). */
export const MAY_NEED_INPUT: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/**
 * Whether a client with these capabilities has announced that it accepts this request.
 * @param params params of the question as valid JSON text
 */
export function hasAnnounced(
  capabilities: ClientTraits['capabilities'],
  method: string,
  params: string | undefined,
): boolean {
  const capability = CAPABILITY_OF_REQUEST.get(method);
  if (capability === undefined || !Object.hasOwn(capabilities, capability)) return false;
  return method !== 'elicitation/create' || takesModes(capabilities[capability], listModes(params));
}

/** Whether the capability permits these modes. An `elicitation` without modes means forms, because older revisions have no other mode. */
function takesModes(elicitation: unknown, modes: readonly string[]): boolean {
  const announced = typeof elicitation === 'object' && elicitation !== null ? elicitation : {};
  const isForForms = Object.hasOwn(announced, 'form') || !Object.hasOwn(announced, 'url');
  return modes.every(mode => (mode === 'form' ? isForForms : Object.hasOwn(announced, mode)));
}

/** The possible modes of an elicitation: parsers differ on duplicate members, and on case. */
function listModes(params: string | undefined): readonly string[] {
  const modes: string[] = [];
  if (params?.startsWith('{') === true) {
    for (const { name, start, end } of iterateMembers(params, 0)) {
      if (name.toLowerCase() === 'mode') modes.push(String(JSON.parse(params.slice(start, end))));
    }
  }
  return modes.length === 0 ? ['form'] : modes;
}
