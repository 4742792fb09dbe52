/**
 * Finds out which sessions with backends other replicas use: a replica whose new bundle no longer needs a connection sends a question before it
 * ends the sessions. Files of bundles reach replicas at different times, and running calls end in the session that they began in. The last
 * replica that uses a session ends it.
 */
import { formatSessionKey, type ReplicaMessage, type SharedSessions } from '../../shared-sessions/store.ts';

/** How long other replicas have to answer that they use a session; milliseconds. */
const ANSWER_MS = 3_000;

/** Maximum number of sessions in one message: a swap sends questions about all sessions of all clients, and Redis stores as many messages. */
const IN_ONE_MESSAGE = 200;

type UseQuery = PromiseWithResolvers<boolean>;

export class BackendUses {
  readonly #all: SharedSessions;
  /** Questions to other replicas that have no answer yet, by the identity of the connection and by the key of the client's session. */
  readonly #asking: Map<string, Map<string, UseQuery>> = new Map();
  /** Uses of sessions that this replica has not reported in a message yet. */
  #unsent: Map<string, string[]> = new Map();

  constructor(all: SharedSessions) {
    this.#all = all;
  }

  /**
   * Whether another replica uses a client's session with a backend, and thus will end it. A replica that does not answer may use it.
   * @param session the id of the client's session
   * @param reach the identity of the connection to the backend
   */
  isUsedElsewhere(session: string, reach: string): Promise<boolean> {
    const key = formatSessionKey(session);
    let asking = this.#asking.get(reach);
    if (asking === undefined) {
      asking = new Map();
      this.#asking.set(reach, asking);
    }
    const query = asking.get(key);
    if (query !== undefined) return query.promise;
    const answer: UseQuery = Promise.withResolvers();
    asking.set(key, answer);
    void answer.promise.then(() => this.#answered(reach, key));
    if (this.#unsent.size === 0) setImmediate(() => this.#send());
    const unsent = this.#unsent.get(reach);
    if (unsent === undefined) this.#unsent.set(reach, [key]);
    else unsent.push(key);
    return answer.promise;
  }

  /**
   * Handles a message of another replica.
   * @param uses whether this replica uses a client session's session with a backend, by the key of the client session
   */
  receive({ type, from, fields, text = '' }: ReplicaMessage, uses: (key: string, reach: string) => boolean): void {
    const reach = fields?.reach ?? '';
    const keys = text.split(' ');
    if (type === 'backend-used') for (const key of keys) this.#asking.get(reach)?.get(key)?.resolve(true);
    else {
      const used = keys.filter(key => uses(key, reach)).join(' ');
      if (used === '') return;
      // If the message is lost, the other replica ends the session, and this replica opens another.
      this.#all.send(from, { type: 'backend-used', fields: { reach }, text: used }).catch(() => {});
    }
  }

  #send(): void {
    const unsent = this.#unsent;
    this.#unsent = new Map();
    for (const [reach, keys] of unsent) {
      for (let at = 0; at < keys.length; at += IN_ONE_MESSAGE) this.#ask(reach, keys.slice(at, at + IN_ONE_MESSAGE));
    }
  }

  #ask(reach: string, keys: readonly string[]): void {
    const end = (isUsed: boolean) => {
      for (const key of keys) this.#asking.get(reach)?.get(key)?.resolve(isUsed);
    };
    this.#all.send('others', { type: 'backend-done', fields: { reach }, text: keys.join(' ') }).then(
      () => setTimeout(end, ANSWER_MS, false).unref(),
      () => end(true),
    );
  }

  #answered(reach: string, key: string): void {
    const asking = this.#asking.get(reach);
    asking?.delete(key);
    if (asking?.size === 0) this.#asking.delete(reach);
  }
}
