import {
  BRIDGE_PORT,
  BRIDGE_TOKEN_VARIABLE,
  GATEWAY_PORT,
  INTERNAL_PORT,
  isPrivateException,
  type PrivateDenial,
  REGISTRY_PORT,
} from '#schemas';
import {
  OptionError,
  originOption,
  parseAddressOption,
  parseHostOption,
  parseOptions,
  parsePortOption,
} from '#shared/util';
import type { BundleChoice } from './bundle/locate.ts';
import type { ListenAddress } from './http/listen.ts';

/** Maximum number of worker processes of one gateway. */
const MAX_WORKERS = 256;

export interface RuntimeOptions extends BundleChoice {
  readonly bundle: string;
  /** The address for clients. Default port: that of gateways, or that of registry servers. */
  readonly listen: { readonly host: string; readonly port?: number | undefined };
  readonly internal: ListenAddress;
  readonly watch: boolean;
  /** Number of processes that serve a gateway; `auto` for one on each core. Default 1. */
  readonly workers?: number | 'auto' | undefined;
  /** Web origins whose pages may call, in addition to the public origin and pages of this machine. Default none. */
  readonly allowedOrigins?: readonly string[];
  /** Refuses connections to private addresses. Default: specs decide. */
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
  --registry NAME           name or namespace/name, when the output folder holds several registry servers
  --label TEXT              what messages call the bundle (default: the path of its file); \`lintel serve\` names the gateway
  --host HOST               address on which clients connect (default 127.0.0.1)
  --port PORT               port for clients, 0 for any free one (default ${GATEWAY_PORT}; for a registry server ${REGISTRY_PORT})
  --internal-address ADDR   host:port of /health, /version, /status, /metrics (default 127.0.0.1:${INTERNAL_PORT})
  --internal-or-free        if the internal address is in use, take a free port of the same host; the first line of output names it
  --allowed-origin ORIGIN   web origin whose pages may call, such as https://chat.example.com, or the origin of a proxy on
                            this machine; repeatable (default: pages of this machine, of the IP address of the gateway,
                            and of the public URL, if the bundle has one)
  --state-dir DIR           folder for the last entries that a registry server read, so that it can start without its
                            sources, and for the embeddings of the tools of a gateway (default $XDG_STATE_HOME/lintel/registry
                            or …/gateway, else below ~/.local/state)
  --deny-private-backends   connect to no backend, token endpoint or upstream registry at a private or loopback address,
                            even if the bundle allows it; Services of a cluster are at private addresses, too
  --private-backend HOST    exception to --deny-private-backends: a name such as tools.team.svc.cluster.local,
                            *.team.svc.cluster.local, or an address; repeatable
  --bridge URL              where \`lintel-bridge\` runs the stdio servers of the bundle (default http://127.0.0.1:${BRIDGE_PORT}); the
                            runtime reads the token of the bridge from the variable ${BRIDGE_TOKEN_VARIABLE}
  --workers N               processes that serve the gateway, 1 to ${MAX_WORKERS}, or auto for one on each core (default 1); they share the
                            address, sessions and limits, and one that dies is replaced
  --watch                   serve a changed bundle without a restart; after a bad bundle the running bundle stays in use.
                            If there is no bundle yet, the runtime waits for the first one
  --version                 print the version
  --help                    print this text

Commands:
  list                      list the tools, prompts and resources of backends; \`lintel lock\` runs it
  call                      call a tool of a backend; \`lintel call\` runs it
  rehearse                  run workflows with scripted answers; \`lintel test\` runs it

Exit codes: 0 stopped by a signal, 2 bad options or bundle, 70 internal error, or every worker ended.
`;

const FLAGS = {
  bundle: { type: 'string' },
  gateway: { type: 'string' },
  registry: { type: 'string' },
  label: { type: 'string' },
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
 * @returns the options, or text to print instead of running
 * @throws OptionError
 */
export function readOptions(args: readonly string[]): RuntimeOptions | 'help' | 'version' {
  const values = parseOptions(args, FLAGS, 'bundle');
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
    label: values.label,
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
