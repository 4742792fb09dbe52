#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { createInterface } from 'node:readline';
import { BRIDGE_TOKEN_VARIABLE, type BridgeConfig, findNodeProblem, VERSION } from '#schemas';
import { describeFileError, endWithNpm, formatListenProblem, OptionError, wrapUsage } from '#shared/util';
import { Bridge } from './bridge.ts';
import { createHttpServer } from './http/create-server.ts';
import { createEndpoint } from './http/endpoint.ts';
import { health } from './http/health.ts';
import { createLogger } from './log.ts';
import { readOptions, USAGE } from './options.ts';
import { readConfig } from './read-config.ts';
import { requireCommand, requireShell, serveOne } from './serve-one.ts';

const log = createLogger();

async function main(): Promise<void> {
  const problem = findNodeProblem(process.versions.node);
  if (problem !== undefined) throw new OptionError(problem);
  const options = readOptions(process.argv.slice(2));
  if (options === 'help' || options === 'version') {
    process.stdout.write(options === 'help' ? wrapUsage(USAGE, process.stdout.columns) : `${VERSION}\n`);
    return;
  }
  if (process.platform === 'win32')
    throw new OptionError(
      'the bridge needs process groups to stop servers, and Windows has none: run the bridge in WSL',
    );
  const { [BRIDGE_TOKEN_VARIABLE]: token, ...env } = process.env;
  const { host, port, servers, shell } = options;
  if ((token ?? '') === '' && !isLoopback(host))
    throw new OptionError(`${host} can be reached from other machines: set ${BRIDGE_TOKEN_VARIABLE}`);
  const ended = Promise.withResolvers<string>();
  process.once('SIGTERM', ended.resolve).once('SIGINT', ended.resolve);
  using _npm = endWithNpm();
  const folder = process.cwd();
  requireShell(shell, folder, env.PATH ?? '');
  const one = 'key' in servers ? serveOne(servers.key, servers.words, servers.plan, env) : undefined;
  if (one !== undefined) requireCommand(one, folder, env.PATH ?? '');
  const bridge = new Bridge({ log, env, folder, shell });
  const server = createHttpServer();
  const probes = createHttpServer(health);
  try {
    const endpoint = createEndpoint(bridge, token === '' ? undefined : token);
    server.on('request', (req, res) => {
      endpoint(req, res).catch((error: unknown) => {
        log.error({ err: error }, 'internal error');
        if (res.headersSent) res.destroy();
        else res.writeHead(500).end();
      });
    });
    const begin = async () => {
      const url = await listen(server, host, port, '--host/--port');
      // The probes start after the servers listen: a healthy answer says that clients can reach the servers.
      if (options.health !== undefined)
        await listen(probes, options.health.host, options.health.port, '--health-address');
      announce({
        event: 'listening',
        url,
        ...(options.health && { health: formatServerUrl(probes, options.health.host) }),
      });
    };
    if ('config' in servers && servers.config === '-') followInput(bridge, begin, ended);
    else {
      bridge.use(one ?? readConfigFile('config' in servers ? servers.config : ''));
      await begin();
    }
    log.info({ reason: await ended.promise }, 'the bridge stops');
  } finally {
    probes.close();
    server.close();
    await bridge.close();
    probes.closeAllConnections();
    server.closeAllConnections();
  }
}

/** Each line is a configuration. The input ends when the program that writes it has ended; then the bridge ends as well. */
function followInput(
  bridge: Bridge,
  begin: () => Promise<void>,
  ended: { resolve(reason: string): void; reject(error: unknown): void },
): void {
  let begun: Promise<void> | undefined;
  createInterface({ input: process.stdin })
    .on('line', line => {
      try {
        bridge.use(readConfig(line));
        begun = begun === undefined ? begin() : begun.then(() => announce({ event: 'configured' }));
        begun.catch(ended.reject);
      } catch (error) {
        ended.reject(error);
      }
    })
    .once('close', () => ended.resolve('standard input has ended'));
}

function announce(event: object): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

async function listen(server: Server, host: string, port: number, option: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error) => reject(new OptionError(formatListenProblem(option, { host, port }, error)));
    server.once('error', failed).listen(port, host, () => resolve(void server.off('error', failed)));
  });
  return formatServerUrl(server, host);
}

function formatServerUrl(server: Server, host: string): string {
  const shown = isIP(host) === 6 ? `[${host}]` : host;
  return `http://${shown}:${(server.address() as AddressInfo).port}`;
}

function readConfigFile(file: string): BridgeConfig {
  const json = readFile(file);
  try {
    return readConfig(json);
  } catch (error) {
    throw error instanceof OptionError ? new OptionError(`--config ${file}: ${error.message}`) : error;
  }
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new OptionError(`--config: cannot read ${file}: ${describeFileError(error)}`);
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

try {
  await main();
  process.exit(0);
} catch (error) {
  if (error instanceof OptionError) {
    process.stderr.write(`lintel-bridge: ${error.message}\nTry 'lintel-bridge --help'.\n`);
    process.exit(2);
  }
  log.fatal({ err: error }, 'internal error');
  process.exit(70);
}
