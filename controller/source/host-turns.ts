import pLimit from 'p-limit';

/** Conversations at a time: with all servers, and with one. So three servers may hang, and those that answer still have places. */
const MAX_CONVERSATIONS = 16;
const MAX_CONVERSATIONS_OF_HOST = 4;

export class HostTurns {
  readonly #inTurn = pLimit(MAX_CONVERSATIONS);
  readonly #byHost = new Map<string, ReturnType<typeof pLimit>>();

  /** @param url of a repository; those without a host, of this machine, count as one */
  async inTurn<T>(url: string, converse: () => Promise<T>): Promise<T> {
    const host = URL.canParse(url) ? new URL(url).host : '';
    const ofHost = this.#byHost.get(host) ?? pLimit(MAX_CONVERSATIONS_OF_HOST);
    this.#byHost.set(host, ofHost);
    try {
      return await ofHost(() => this.#inTurn(converse));
    } finally {
      if (ofHost.activeCount + ofHost.pendingCount === 0) this.#byHost.delete(host);
    }
  }
}
