import {
  BRIDGE_PORT,
  BRIDGE_TOKEN_VARIABLE,
  GATEWAY_PORT,
  INTERNAL_PORT,
  isPrivateException,
  type PrivateDenial,
  REGISTRY_PORT,
} from '#schemas';
import { OptionError, originOption, parseAddressOption, parseHostOption, parseOptions, parsePortOption } from '#util';
import type { BundleChoice } from './bundle/locate.ts';
import type { ListenAddress } from './http/listen.ts';

/** More than any machine has cores for one gateway. */
const MAX_WORKERS = 256;

export interface RuntimeOptions extends BundleChoice {
  readonly bundle: string;
  /** The address for clients. Without a port it is the default of the bundle's kind. */
  readonly listen: { readonly host: string; readonly port?: number | undefined };
  readonly internal: ListenAddress;
  readonly watch: boolean;
  /** Processes that serve a gateway; `auto` for one on each core. Default 1. */
  readonly workers?: number | 'auto' | undefined;
  /** Web origins that may call, besides those that always may. Default none. */
  readonly allowedOrigins?: readonly string[];
  /** That nothing private is connected to. Default: specs decide. */
  readonly denial?: PrivateDenial | undefined;
  /** Folder for a server's data that outlives a restart. Default: the user's folder for such data. */
  readonly stateDir?: string | undefined;
  /** How long the first list of a gateway waits for backends that have not answered yet; milliseconds. Default: 3,000. */
  readonly firstListWaitMs?: number | undefined;
}

export const USAGE: string = `Usage: lintel-runtime --bundle PATH [options]

Serves one bundle: an MCP gateway or a registry of MCP servers.

Options:
  --bundle PATH             bundle.json, the directory of a bundle, or the output folder of \`lintel build\`
  --gateway NAME            name or namespace/name, when the output folder holds several gateways
  --registry NAME           the same for a registry server
  --host HOST               address on which clients connect (default 127.0.0.1)
  --port PORT               port for clients, 0 for any free one (default ${GATEWAY_PORT}; of a registry server ${REGISTRY_PORT})
  --internal-address ADDR   host:port of /health, /version, /status, /metrics (default 127.0.0.1:${INTERNAL_PORT})
  --internal-or-free        where the internal address is in use, take a free port of its host; the first line names it
  --allowed-origin ORIGIN   web origin that may call, such as https://chat.example.com, or the one that a proxy on this
                            machine stands for; repeatable (default: local pages, those of the gateway's own address, not
                            of its name, and those of the public URL, where the bundle has it)
  --state-dir DIR           where a registry server keeps what it read last from its sources, for a start without them, and
                            a gateway the embeddings of its tools (default $XDG_STATE_HOME/lintel/registry or …/gateway,
                            else below ~/.local/state)
  --deny-private-backends   connect to no backend, token endpoint or upstream registry at a private or loopback address,
                            whatever the bundle says; Services of a cluster are at private addresses, too
  --private-backend HOST    may be private all the same: a name such as tools.team.svc.cluster.local, *.team.svc.cluster.local,
                            or an address; repeatable
  --bridge URL              where \`lintel-bridge\` runs the stdio servers of the bundle (default http://127.0.0.1:${BRIDGE_PORT}); the token
                            of the bridge comes out of the variable ${BRIDGE_TOKEN_VARIABLE}
  --workers N               processes that serve the gateway, 1 to ${MAX_WORKERS}, or auto for one on each core (default 1); they share the
                            address, sessions and limits, and one that dies is replaced
  --watch                   serve a changed bundle without a restart; a bad one leaves the running one in place. Waits for
                            the first one where there is none yet
  --version                 print the version
  --help                    print this text

Commands:
  list                      say what backends offer; \`lintel lock\` asks over standard input
  rehearse                  run workflows by scripts; \`lintel test\` writes them to standard input

Exit codes: 0 stopped by a signal, 2 bad options or bundle, 70 internal error, or no worker that stays alive.
`;

const FLAGS = {
  bundle: { type: 'string' },
  gateway: { type: 'string' },
  registry: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'internal-address': { type: 'string' },
  'internal-or-free': { type: 'boolean' },
  'allowed-origin': { type: 'string', multiple: true },
  'state-dir': { type: 'string' },
  'deny-private-backends': { type: 'boolean' },
  'private-backend': { type: 'string', multiple: true },
  watch: { type: 'boolean' },
  bridge: { type: 'string' },
  workers: { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * @returns the options, or what to print instead of running
 * @throws OptionError
 */
export function readOptions(args: readonly string[]): RuntimeOptions | 'help' | 'version' {
  const values = parseOptions(args, FLAGS);
  if (values.help === true) return 'help';
  if (values.version === true) return 'version';
  if (values.bundle === undefined || values.bundle === '') throw new OptionError('--bundle PATH is required');
  if (values.gateway !== undefined && values.registry !== undefined)
    throw new OptionError('--gateway and --registry: choose one, a process serves one bundle');
  const bridge = values.bridge === undefined ? undefined : parseBridge(values.bridge);
  if (values['state-dir'] === '') throw new OptionError('--state-dir is empty: name a folder');
  return {
    bundle: values.bundle,
    gateway: values.gateway,
    registry: values.registry,
    listen: {
      host: parseHostOption('--host', values.host ?? '127.0.0.1'),
      port: values.port === undefined ? undefined : parsePortOption('--port', values.port),
    },
    internal: {
      ...parseAddressOption('--internal-address', values['internal-address'] ?? `127.0.0.1:${INTERNAL_PORT}`),
      orFree: values['internal-or-free'] === true,
    },
    watch: values.watch === true,
    bridge,
    denial: toPrivateDenial(values['deny-private-backends'] === true, values['private-backend'] ?? []),
    workers: parseWorkers(values.workers ?? '1'),
    stateDir: values['state-dir'],
    allowedOrigins: (values['allowed-origin'] ?? []).map(origin => originOption('--allowed-origin', origin)),
  };
}

function toPrivateDenial(isDenied: boolean, except: readonly string[]): PrivateDenial | undefined {
  if (!isDenied && except.length > 0) {
    throw new OptionError('--private-backend makes an exception to --deny-private-backends: give both');
  }
  for (const host of except) {
    if (!isPrivateException(host)) {
      throw new OptionError(
        `--private-backend ${host}: expected a host, such as tools.team.svc or *.team.svc, or an address`,
      );
    }
  }
  return isDenied ? { except } : undefined;
}

function parseBridge(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '')
    throw new OptionError('--bridge: expected the URL of a bridge, such as http://127.0.0.1:4484');
  return text;
}

function parseWorkers(text: string): number | 'auto' {
  if (text === 'auto') return text;
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MAX_WORKERS) {
    throw new OptionError(`--workers ${text}: expected a number from 1 to ${MAX_WORKERS}, or auto`);
  }
  return count;
}
