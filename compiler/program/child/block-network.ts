/** Blocks the network for programs, because remote content changes over time. It prevents accidents, not attacks. */
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';
import { note } from './observations.ts';

/** Makes every network function throw, after recording the caller. */
export function blockNetwork(): void {
  const refuse = (what: string) => () => {
    note('network', what);
    throw Object.assign(new Error(`${what} is refused: programs have no network`), { code: 'ERR_LINTEL_NETWORK' });
  };
  const replace = (target: object, name: string, what: string) => {
    if (typeof (target as Record<string, unknown>)[name] === 'function') {
      Object.defineProperty(target, name, { value: refuse(what), writable: true, configurable: true });
    }
  };
  replace(net.Socket.prototype, 'connect', 'a connection');
  replace(net.Server.prototype, 'listen', 'listening');
  for (const name of ['bind', 'connect', 'send']) replace(dgram.Socket.prototype, name, 'a datagram socket');
  for (const part of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    for (const name of Object.getOwnPropertyNames(part)) {
      if (/^(?:lookup|lookupService|resolve|reverse)/.test(name)) replace(part, name, 'a name lookup');
    }
  }
  const rejected = (what: string) => async () => refuse(what)();
  for (const name of ['fetch', 'WebSocket', 'EventSource']) {
    if (name in globalThis) {
      const value = name === 'fetch' ? rejected(name) : refuse(name);
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
    }
  }
}
