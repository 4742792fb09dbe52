/**
 * Loaded before a program (`node --import`): simulates a network with the names in `TEST_NETWORK`. A name resolves to its address there, so
 * that all code that checks addresses sees that address; the connection then goes to a port of this machine.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/** @type {Readonly<Record<string, { readonly address: string, readonly port: number }>>} */
const HOSTS = JSON.parse(process.env.TEST_NETWORK ?? '{}');

const reply = (options, callback, address) =>
  options.all === true ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);

const { lookup } = dns;
dns.lookup = (name, ...rest) => {
  const callback = rest.at(-1);
  const options = typeof rest[0] === 'object' ? rest[0] : {};
  if (HOSTS[name] === undefined) lookup(name, ...rest);
  else process.nextTick(reply, options, callback, HOSTS[name].address);
};
syncBuiltinESMExports();

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function connectToNetwork(...args) {
  // `net.connect` passes one list of options and callback.
  const [options, callback] = Array.isArray(args[0]) ? args[0] : args;
  const host = HOSTS[options?.host];
  if (host === undefined) return connect.apply(this, args);
  const judge = options.lookup ?? dns.lookup;
  const here = (name, asked, answer) =>
    judge(name, asked, error => (error ? answer(error) : reply(asked, answer, '127.0.0.1')));
  return connect.call(this, { ...options, port: host.port, lookup: here }, callback);
};
