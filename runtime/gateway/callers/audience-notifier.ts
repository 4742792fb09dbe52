/** Announces to clients that have announced capabilities what changed in their own lists, which need not be those of others. */
import type { ClientSession } from '../../mcp/handler.ts';
import type { KINDS } from '../offers/capabilities.ts';
import type { CapabilityTable } from '../routing/table.ts';
import type { GatewaySession } from '../sessions/client-session.ts';
import type { Audience } from './audience.ts';

type Session = ClientSession<GatewaySession>;
type Lists = CapabilityTable['lists'];

export class AudienceNotifier {
  readonly #sessions: ReadonlySet<Session>;
  readonly #listsOf: (audience: Audience) => Lists;
  /** By the keys of audiences with sessions: what they had when they came, or were last announced. */
  #lists = new Map<string, Lists>();

  /**
   * @param sessions of all clients
   * @param listsOf the lists of now
   */
  constructor(sessions: ReadonlySet<Session>, listsOf: (audience: Audience) => Lists) {
    this.#sessions = sessions;
    this.#listsOf = listsOf;
  }

  /** Those that there are sessions of. */
  get audiences(): readonly Audience[] {
    const byKey = new Map<string, Audience>();
    for (const { payload } of this.#sessions) {
      if (payload.audience !== undefined) byKey.set(payload.audience.key, payload.audience);
    }
    return [...byKey.values()];
  }

  /** A client has come: it is announced what changes from now on. */
  joined(audience: Audience): void {
    if (!this.#lists.has(audience.key)) this.#lists.set(audience.key, this.#listsOf(audience));
  }

  /**
   * Announces what changed since the last time.
   *
   * @param former what those had who have not been here before
   * @param isAllChanged other policies decide what of the lists is visible to whom
   * @param kinds those that clients read
   */
  announce(former: Lists, isAllChanged: boolean, kinds: typeof KINDS): void {
    const known = this.#lists;
    this.#lists = new Map();
    const methods = new Map<string, ReadonlySet<string>>();
    for (const audience of this.audiences) {
      const lists = this.#listsOf(audience);
      const before = known.get(audience.key) ?? former;
      this.#lists.set(audience.key, lists);
      const changed = kinds.filter(({ kind }) => isAllChanged || !lists[kind].equals(before[kind]));
      methods.set(audience.key, new Set(changed.map(({ changedMethod }) => changedMethod)));
    }
    for (const session of this.#sessions) {
      const key = session.payload.audience?.key;
      const own = key === undefined ? undefined : methods.get(key);
      for (const method of own ?? []) session.send(JSON.stringify({ jsonrpc: '2.0', method }));
    }
  }
}
