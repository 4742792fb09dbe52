/**
 * A simulated name service in this process. A name resolves to its address here, so that all code that checks addresses sees that address; the
 * connection then goes to a port of this machine.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

export interface NetworkHost {
  /** The address in the simulated name service. */
  readonly address: string;
  /** Local ports by the port of the URL. */
  readonly ports: Readonly<Record<number, number>>;
}

// biome-ignore lint/suspicious/noExplicitAny: the callback has two forms, and only the options say which
type Lookup = (name: string, options: { readonly all?: boolean }, callback: (...answer: any[]) => void) => void;

/** Installs the names in this process. Returns a function that removes them. */
export function installNetwork(hosts: ReadonlyMap<string, NetworkHost>): () => void {
  const { lookup } = dns;
  const { connect } = net.Socket.prototype;
  const reply: (address: string) => Lookup = address => (_name, options, callback) =>
    process.nextTick(() =>
      options.all === true ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4),
    );

  // biome-ignore lint/suspicious/noExplicitAny: as `dns.lookup` is overloaded
  const ours = (name: string, ...rest: any[]) => {
    const host = hosts.get(name);
    if (host === undefined) return (lookup as (...args: unknown[]) => void)(name, ...rest);
    reply(host.address)(name, typeof rest[0] === 'object' ? rest[0] : {}, rest.at(-1));
  };
  dns.lookup = ours as unknown as typeof dns.lookup;
  syncBuiltinESMExports();

  // biome-ignore lint/suspicious/noExplicitAny: as `connect` is overloaded
  net.Socket.prototype.connect = function connectToNetwork(this: net.Socket, ...args: any[]): net.Socket {
    // `net.connect` passes on one list of options and callback.
    const [options, callback] = Array.isArray(args[0]) ? args[0] : args;
    const host = hosts.get(options?.host);
    // biome-ignore lint/suspicious/noExplicitAny: as `connect` is overloaded
    if (host === undefined) return connect.apply(this, args as any);
    const judge: Lookup = options.lookup ?? ours;
    const here: Lookup = (name, asked, answer) =>
      judge(name, asked, error => (error ? answer(error) : reply('127.0.0.1')(name, asked, answer)));
    const port = host.ports[Number(options.port)] ?? 1; // No process listens there.
    return connect.call(this, { ...options, port, lookup: here as unknown as net.LookupFunction }, callback);
  };
  return () => {
    dns.lookup = lookup;
    net.Socket.prototype.connect = connect;
    syncBuiltinESMExports();
  };
}
