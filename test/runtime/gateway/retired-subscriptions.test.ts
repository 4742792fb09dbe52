/** A subscription whose connection was closed by a new bundle, before it was moved to it. */
import { expect, test } from 'vitest';
import type { BackendConnection } from '../../../runtime/gateway/connections/connection.ts';
import type { Gateway } from '../../../runtime/gateway/gateway.ts';
import { readTarget } from '../../../runtime/gateway/routing/targets.ts';
import { endsWithConnection } from '../../../runtime/gateway/sessions/subscriptions.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';

const former = { name: 'a' } as BackendConnection;
const next = { name: 'a' } as BackendConnection;

test.each<[string, method: string, uri: string, now: BackendConnection | undefined, ends: boolean]>([
  ['the backend has a new connection', 'resources/unsubscribe', 'x://1', next, true],
  ['the backend is gone', 'resources/unsubscribe', 'x://1', undefined, true],
  ['the same connection', 'resources/unsubscribe', 'x://1', former, false],
  ['another resource', 'resources/unsubscribe', 'x://2', next, false],
  ['another request', 'resources/read', 'x://1', next, false],
])(
  'the gateway answers an unsubscription itself, without the backend, only if the connection of the subscription is gone: %s',
  (_case, method, uri, now, ends) => {
    const gateway = { connections: new Map(now === undefined ? [] : [['a', now]]) } as unknown as Gateway;
    const subscriptions = new Map([['x://1', former]]);
    const target = readTarget(readEnvelope(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { uri } })));
    const session = { subscriptions } as unknown as Parameters<typeof endsWithConnection>[1];
    expect(endsWithConnection(gateway, session, method, target)).toBe(ends);
    expect(subscriptions.has('x://1')).toBe(!ends);
  },
);
