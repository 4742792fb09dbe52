/** Subscriptions of sessions to URIs in no list and no template: accepted where only one backend can have them. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { type BundleOptions, backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, openEvents, type RawServer, sendJson, startRawServer } from '../../support/raw-server.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { open, readUntil } from '../client-edge/fake-gateway.ts';

const UNLISTED = 'x://unlisted';
const UPDATED = JSON.stringify({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri: UNLISTED },
});
const WITH_RESOURCES = { resources: { subscribe: true } };

interface Offer {
  readonly capabilities?: object;
  /** Including items that are withheld from clients. */
  readonly resources?: readonly object[];
  /** Listed only to clients with sampling. */
  readonly forSampling?: readonly object[];
}

/** A backend that accepts subscriptions to any URI, and sends an update at once. */
async function backendOf({ capabilities = WITH_RESOURCES, resources = [], forSampling = [] }: Offer = {}) {
  const streams = new Map<string, Parameters<typeof openEvents>[0]>();
  const sampling = new Set<string>();
  let sessions = 0;
  const server: RawServer = await startRawServer(({ method, headers, message }, response) => {
    const session = String(headers['mcp-session-id']);
    const result = (value: object, more = {}) =>
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, result: value }), more);
    if (method === 'GET') {
      streams.set(session, response);
      return openEvents(response);
    }
    if (method === 'DELETE') return void response.writeHead(204).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    switch (message.method) {
      case 'initialize': {
        const id = `s-${++sessions}`;
        if (message.params.capabilities.sampling !== undefined) sampling.add(id);
        const serverInfo = { name: 'any', version: '1' };
        return result({ protocolVersion: '2025-11-25', capabilities, serverInfo }, { 'mcp-session-id': id });
      }
      case 'tools/list':
        return result({ tools: [] });
      case 'resources/list':
        return result({ resources: sampling.has(session) ? [...resources, ...forSampling] : resources });
      case 'resources/templates/list':
        return result({ resourceTemplates: [] });
      case 'resources/subscribe':
        streams.get(session)?.write(eventText(UPDATED));
        return result({});
      case 'resources/unsubscribe':
        return result({});
      default:
        return sendJson(
          response,
          JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: '' } }),
        );
    }
  });
  onTestFinished(() => server.close());
  return {
    url: `${server.origin}/mcp`,
    port: server.port,
    /** The subscriptions that it received. */
    told: () => server.requests.flatMap(({ message }) => (/subscribe$/.test(message?.method) ? [message.method] : [])),
  };
}

async function serve(options: BundleOptions) {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.stop());
  const raw = new RawClient(gateway.url);
  await raw.open();
  return { gateway, raw };
}

async function codeOf(raw: RawClient, method: string, uri = UNLISTED): Promise<number | undefined> {
  return JSON.parse((await raw.request(method, { uri })).text).error?.code;
}

test('the only backend gets the requests to subscribe to and unsubscribe from an unlisted resource, and the client gets its updates', async () => {
  const backend = await backendOf();
  const { gateway, raw } = await serve({ backends: [backendPlan('a', backend.url)] });
  const accept = { accept: 'text/event-stream', 'mcp-session-id': raw.sessionId as string };
  const stream = await open(gateway.url, 'GET', accept);
  onTestFinished(() => void stream.destroy());
  expect(await codeOf(raw, 'resources/subscribe')).toBeUndefined();
  expect(await readUntil(stream, 'updated')).toContain(UNLISTED);
  expect(await codeOf(raw, 'resources/unsubscribe')).toBeUndefined();
  expect(backend.told()).toEqual(['resources/subscribe', 'resources/unsubscribe']);
});

test('backends without resources do not count as possible owners of an unlisted resource', async () => {
  const backend = await backendOf();
  const other = await backendOf({ capabilities: { tools: {} } });
  const { raw } = await serve({ backends: [backendPlan('a', backend.url), backendPlan('b', other.url)] });
  expect(await codeOf(raw, 'resources/subscribe')).toBeUndefined();
  expect([backend.told(), other.told()]).toEqual([['resources/subscribe'], []]);
});

describe('unknown resources', () => {
  test.each<[string, offers: Offer[], options: Partial<BundleOptions>]>([
    ['two backends with resources', [{}, {}], {}],
    ['a backend without resources', [{ capabilities: { tools: {} } }], {}],
    ['policies that permit the resource', [{}], { authorization: cedarPlan(['permit(principal, action, resource);']) }],
    [
      'policies that permit no resource',
      [{}],
      { authorization: cedarPlan(['permit(principal, action == Action::"call_tool", resource);']) },
    ],
    ['a resource that is withheld', [{ resources: [{ uri: UNLISTED, name: 5 }] }], {}],
  ])(
    'the gateway refuses a subscription to an unlisted resource as unknown, and no backend gets the request: %s',
    async (_, offers, options) => {
      const backends = await Promise.all(offers.map(backendOf));
      const plans = backends.map(({ url }, at) => backendPlan(`b${at}`, url));
      const { raw } = await serve({ backends: plans, ...options });
      expect(await codeOf(raw, 'resources/subscribe')).toBe(-32002);
      expect(await codeOf(raw, 'resources/unsubscribe')).toBe(-32002);
      expect(backends.flatMap(({ told }) => told())).toEqual([]);
    },
  );

  test('a resource that the backend lists only to clients with sampling is unknown to a client without sampling', async () => {
    const backend = await backendOf({ forSampling: [{ uri: UNLISTED, name: 'a' }] });
    const { gateway, raw } = await serve({ backends: [backendPlan('a', backend.url)] });
    const other = new RawClient(gateway.url);
    await other.open('2025-11-25', { sampling: {} });
    expect(await codeOf(other, 'resources/subscribe')).toBeUndefined();
    expect(await codeOf(raw, 'resources/subscribe')).toBe(-32002);
    expect(backend.told()).toEqual(['resources/subscribe']);
  });

  test('a subscription to an unlisted resource fails with code -32002 while a second backend has not answered since the start', async () => {
    const backend = await backendOf();
    const gone = await startRawServer((_, response) => void response.destroy());
    await gone.close();
    const backends = [backendPlan('a', backend.url), backendPlan('b', `${gone.origin}/mcp`)];
    const { raw } = await serve({ backends });
    expect(await codeOf(raw, 'resources/subscribe')).toBe(-32002);
    expect(backend.told()).toEqual([]);
  });

  test('a read of an unlisted resource is refused as unknown', async () => {
    const { raw } = await serve({ backends: [backendPlan('a', (await backendOf()).url)] });
    expect(await codeOf(raw, 'resources/read')).toBe(-32002);
  });
});

test('after a new bundle, the gateway renews a subscription to an unlisted resource only at a backend of the same name', async () => {
  const [backend, other] = await Promise.all([backendOf(), backendOf()]);
  const { gateway, raw } = await serve({ backends: [backendPlan('a', backend.url)] });
  const swapTo = async (...plans: Parameters<typeof backendPlan>) => {
    const { digest } = (await gateway.status()).bundle;
    await gateway.replace({ backends: [backendPlan(...plans)] });
    await eventually(async () => (await gateway.status()).bundle.digest !== digest);
  };
  expect(await codeOf(raw, 'resources/subscribe')).toBeUndefined();
  await swapTo('a', backend.url, { timeoutMs: 4_000 });
  await eventually(() => backend.told().length === 2);
  expect(backend.told()).toEqual(['resources/subscribe', 'resources/subscribe']);
  await swapTo('b', other.url);
  expect(await codeOf(raw, 'resources/unsubscribe')).toBe(-32002);
  expect(other.told()).toEqual([]);
});
