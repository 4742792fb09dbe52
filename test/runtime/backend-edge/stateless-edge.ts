/** Sessions with stateless backends, made with the official SDK (v2) or raw, and a client that answers the requests of such a backend. */
import type { NamedBackendSession } from '../../../runtime/gateway/backends/backend.ts';
import { BackendEra } from '../../../runtime/gateway/backends/era/era.ts';
import type { ClientTraits } from '../../../runtime/mcp/client-traits.ts';
import { type RawHandler, startRawServer } from '../../support/raw-server.ts';
import { type StatelessServer, startStatelessServer } from '../../support/stateless-server.ts';
import { Edge, planFor, RecordingSink } from './harness.ts';

export const ABLE: ClientTraits = {
  capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
  clientInfo: { name: 'asker', version: '7' },
};

export class StatelessEdge extends Edge {
  async connect(caller?: ClientTraits, timeoutMs?: number) {
    const server: StatelessServer = await this.server(startStatelessServer());
    const options = caller === undefined ? {} : { caller };
    return { server, session: this.session(planFor(server.url, undefined, timeoutMs), this.client(), options) };
  }

  /** A session with a raw server that is known to be stateless. */
  async connectRaw(handler: RawHandler, caller?: ClientTraits) {
    const server = await this.server(startRawServer(handler));
    const era = new BackendEra({ known: 'stateless', freshMs: 0 });
    const session = this.session(
      planFor(server.origin),
      this.client(),
      caller === undefined ? { era } : { era, caller },
    );
    return { server, session };
  }
}

/** A sink for a client that answers requests with `reply`: a result, an error, or nothing. */
export class AskedSink extends RecordingSink {
  readonly asked: { id: string; method: string; params: unknown }[] = [];
  readonly #session: NamedBackendSession;
  readonly #reply: (method: string, params: unknown) => object | undefined;
  constructor(session: NamedBackendSession, reply: (method: string, params: unknown) => object | undefined) {
    super();
    this.#session = session;
    this.#reply = reply;
  }

  request(json: string, id: string, method: string): void {
    const { params } = JSON.parse(json);
    this.asked.push({ id, method, params });
    const reply = this.#reply(method, params);
    if (reply === undefined) return;
    const text = `{"jsonrpc":"2.0","id":${id},${JSON.stringify(reply).slice(1)}`;
    setImmediate(() => void this.#session.post(text));
  }
}

export const accept = () => ({ result: { action: 'accept', content: { name: 'Ada' } } });

/** The text of the first content in a tool's result. */
export const readToolText = (sink: RecordingSink): string => JSON.parse(sink.text).result.content[0].text;
