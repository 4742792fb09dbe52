import { BackendError } from '../../mcp/backend-error.ts';
import { WIRE_CODE } from '../../mcp/wire-error.ts';
import { KINDS, type KindTraits, type OfferedItem, type OfferedItems } from '../offers/offered-items.ts';
import type { BackendIdentity, BackendSession } from './backend.ts';
import { type ResponseBudget, requestResult } from './collect.ts';
import { RpcError } from './rpc-error.ts';

/** Maximum number of pages of one list that the gateway reads. */
const MAX_PAGES = 1_000;

/** Maximum number of items of one list over all pages; more indicate a fault or an attack. */
const MAX_ITEMS = 100_000;

/** Total bytes of all lists of one backend: the gateway holds them in memory, as objects and as text. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** The limit on the size of all lists of one reading together. */
export function listRoom(): ResponseBudget {
  return { bytesLeft: MAX_LIST_BYTES };
}

export interface ReadOptions {
  /** The limit on size, which each list reduces. */
  readonly room?: ResponseBudget;
  /** Called with each received page. */
  readonly onPage?: (result: OfferedItem) => void;
}

/**
 * Reads everything that a backend announces, all kinds concurrently.
 * @throws BackendError when a list cannot be read
 */
export async function readOfferedItems(
  backend: string,
  session: BackendSession,
  signal: AbortSignal,
  { room = listRoom(), onPage = () => {} }: ReadOptions = {},
): Promise<OfferedItems> {
  const identity = await session.open();
  const reading = { backend, session, room, signal, onPage };
  const lists = await Promise.all(
    KINDS.map(async traits => [traits.kind, await readList(reading, identity, traits)] as const),
  );
  return Object.fromEntries(lists) as unknown as OfferedItems;
}

interface ReadContext {
  readonly onPage: (result: OfferedItem) => void;
  readonly backend: string;
  readonly session: BackendSession;
  /** The limit on the size of all answers of this reading together. */
  readonly room: ResponseBudget;
  readonly signal: AbortSignal;
}

async function readList(
  reading: ReadContext,
  identity: BackendIdentity,
  traits: KindTraits,
): Promise<readonly OfferedItem[]> {
  const { backend } = reading;
  if (!Object.hasOwn(identity.capabilities, traits.announcedBy)) return [];
  const items: OfferedItem[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await readPage(reading, traits, cursor);
    reading.onPage(result);
    const pageItems = result[traits.kind];
    if (!Array.isArray(pageItems)) {
      throw new BackendError(
        backend,
        'protocol_error',
        `the answer to ${traits.listMethod} has no list "${traits.kind}"`,
      );
    }
    if (items.length + pageItems.length > MAX_ITEMS)
      throw createTooManyError(backend, traits, `more than ${MAX_ITEMS} items`);
    for (const item of pageItems) items.push(item);
    const next = result.nextCursor;
    if (typeof next !== 'string' || next === '') return items;
    if (cursors.has(next)) {
      throw new BackendError(backend, 'protocol_error', `the cursor of ${traits.listMethod} leads back to itself`);
    }
    cursors.add(next);
    cursor = next;
  }
  throw createTooManyError(backend, traits, `more than ${MAX_PAGES} pages`);
}

async function readPage(
  { backend, session, room, signal }: ReadContext,
  traits: KindTraits,
  cursor: string | undefined,
): Promise<OfferedItem> {
  const params = cursor === undefined ? {} : { cursor };
  try {
    const result = await requestResult(session, traits.listMethod, params, { room, signal });
    return (result ?? {}) as OfferedItem;
  } catch (error) {
    // A backend with resources need not have templates; the gateway treats an announced list that the backend does not know as empty.
    if (error instanceof RpcError && error.code === WIRE_CODE.methodNotFound) return { [traits.kind]: [] };
    if (error instanceof BackendError && error.reason === 'too_large') {
      throw new BackendError(backend, 'too_large', `its lists have more than ${MAX_LIST_BYTES} bytes together`);
    }
    throw error;
  }
}

function createTooManyError(backend: string, traits: KindTraits, amount: string): BackendError {
  return new BackendError(backend, 'too_large', `${traits.listMethod} gave ${amount}`);
}
