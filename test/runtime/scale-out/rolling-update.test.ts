/** Replicas are replaced as the manifests prescribe, while clients keep their connections: no call is lost. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { expect, test } from 'vitest';
import { backendPlan } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { type Replica, Replicas } from './replicas.ts';
import { call, disposable, openSession } from './wire.ts';

/** The time that a load balancer needs to remove an ending pod, for which `preStop` waits. Milliseconds. */
const LEAVE_MS = 300;

/** Balances connections like a Service: each goes to a replica that exists when it opens, and stays there. */
class ConnectionBalancer implements AsyncDisposable {
  readonly replicas: Replica[];
  readonly #server: Server;
  readonly #open: Set<Socket> = new Set();
  #next = 0;

  static async start(replicas: readonly Replica[]): Promise<ConnectionBalancer> {
    const balancer = new ConnectionBalancer(replicas);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  private constructor(replicas: readonly Replica[]) {
    this.replicas = [...replicas];
    this.#server = createServer({ allowHalfOpen: true }, client => this.#forward(client));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  #forward(client: Socket): void {
    const { url } = this.replicas[this.#next++ % this.replicas.length] as Replica;
    const server = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => this.#open.delete(one));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

withPeers('redis-server').describe('a rolling update loses no call of clients that keep their connections', () => {
  test.each([
    ['when calls follow one another', 10],
    ['when connections are idle between calls', 700],
  ])('a rolling update loses no call of clients that keep their connections, %s', async (_title, pauseMs) => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] });
    await using balancer = await ConnectionBalancer.start(replicas.replicas);
    let isOver = false;
    const clients = Array.from({ length: 6 }, async (_, at) => {
      const client = new KeptConnection(balancer.url, String(at));
      for (; !isOver; await sleep(Math.random() * 2 * pauseMs)) await client.call();
      await client.close();
      return client;
    });
    const calling = Promise.all(clients);
    const rolling = (async () => {
      for (let at = 0; at < 3; at++) {
        await replicas.add();
        balancer.replicas.push(replicas.replicas.at(-1) as Replica);
        balancer.replicas.shift();
        await sleep(LEAVE_MS);
        const [former] = replicas.replicas.splice(0, 1) as [Replica];
        former.program.kill('SIGTERM');
        expect(await former.program.ending).toBe('exit code 0');
      }
    })().finally(() => {
      isOver = true;
    });
    // Both have settled before anything is closed: otherwise a replica that starts later would be left running.
    await Promise.allSettled([calling, rolling]);
    const [used] = await Promise.all([calling, rolling]);
    expect(Math.min(...used.map(({ calls }) => calls))).toBeGreaterThan(1);
    expect(
      used.some(({ wasToldToClose }) => wasToldToClose),
      'an ending replica says so',
    ).toBe(true);
  });
});

/** A client with one connection, which it keeps as long as the server does. */
class KeptConnection {
  calls = 0;
  wasToldToClose = false;
  readonly #url: string;
  readonly #name: string;
  readonly #dispatcher = new Agent({ connections: 1, keepAliveTimeout: 60_000, keepAliveMaxTimeout: 60_000 });
  #session: Promise<string> | undefined;

  constructor(url: string, name: string) {
    this.#url = url;
    this.#name = name;
  }

  async call(): Promise<void> {
    this.#session ??= openSession(this.#url);
    const session = await this.#session;
    const nonce = `${this.#name}/${++this.calls}`;
    const body = JSON.stringify({ jsonrpc: '2.0', ...call(this.calls, 'one_echo', { nonce }) });
    const headers = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
    const answer = await fetch(this.#url, {
      method: 'POST',
      headers: { ...headers, 'Mcp-Session-Id': session },
      body,
      dispatcher: this.#dispatcher,
    });
    this.wasToldToClose ||= answer.headers.get('connection') === 'close';
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain(nonce);
  }

  async close(): Promise<void> {
    await this.#dispatcher.close();
  }
}
