import { BRIDGE_PORT, BRIDGE_TOKEN_VARIABLE } from '#schemas';
import {
  type Address,
  OptionError,
  parseAddressOption,
  parseHostOption,
  parseOptions,
  parsePortOption,
} from '#shared/util';

export interface BridgeOptions {
  readonly servers: ServersOption;
  readonly host: string;
  readonly port: number;
  /** Where `/health` is served; undefined for no such address. */
  readonly health: Address | undefined;
  /** The command that starts a shell, split into words. */
  readonly shell: readonly string[];
}

/** Where the servers are described. */
export type ServersOption =
  /** A file, or `-` for standard input. */
  | { readonly config: string }
  /** One server, given on the command line. `key`: `<namespace>/<name>`; `words`: the command and its arguments. */
  | { readonly key: string; readonly words: readonly string[]; readonly plan: string | undefined };

export const USAGE: string = `Usage: lintel-bridge --config FILE [options]
       lintel-bridge --serve NAMESPACE/NAME [options] -- COMMAND [ARGUMENT...]

Runs MCP servers that speak over their standard streams, and serves each over Streamable HTTP at
/NAMESPACE/NAME/mcp. \`lintel dev\` and \`lintel serve\` start a bridge if the specs need one.

Options:
  --config FILE    JSON file with the servers; or - for standard input, where each line is a complete configuration
                   that replaces the previous one; the end of the input ends the bridge
  --serve NAMESPACE/NAME
                   a single server, which gets the whole environment of the bridge: for the container of one server
  --plan JSON      with --serve: more configuration of the server, such as {"isShared":true,"maxProcesses":4}
  --host HOST      address to listen on (default 127.0.0.1)
  --port PORT      port to listen on, 0 for any free one (default ${BRIDGE_PORT})
  --health-address HOST:PORT
                   additional address that answers GET /health, for probes (default: none)
  --shell COMMAND  command that starts a shell; spaces separate its words (default /bin/sh)
  --version        print the version
  --help           print this text

Environment:
  ${BRIDGE_TOKEN_VARIABLE}   token that every request must have in the header Lintel-Bridge-Token; required if HOST is not
                        a loopback address (default: no token is needed)

Exit codes: 0 stopped by a signal or the end of standard input, 2 bad options or configuration, 70 internal error.
`;

const FLAGS = {
  config: { type: 'string' },
  serve: { type: 'string' },
  plan: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'health-address': { type: 'string' },
  shell: { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * @returns the options, or what to print instead of running
 * @throws OptionError
 */
export function readOptions(args: readonly string[]): BridgeOptions | 'help' | 'version' {
  const end = args.indexOf('--');
  const values = parseOptions(end < 0 ? args : args.slice(0, end), FLAGS, 'config');
  if (values.help === true) return 'help';
  if (values.version === true) return 'version';
  const { host = '127.0.0.1', port = String(BRIDGE_PORT), 'health-address': health, shell = '/bin/sh' } = values;
  const words = shell.split(' ').filter(word => word !== '');
  if (words.length === 0) throw new OptionError('--shell is empty: leave it out for /bin/sh');
  return {
    servers: readServers(values, end < 0 ? undefined : args.slice(end + 1)),
    host: parseHostOption('--host', host),
    port: parsePortOption('--port', port),
    health: health === undefined ? undefined : parseAddressOption('--health-address', health),
    shell: words,
  };
}

interface ServerOptions {
  readonly config?: string | undefined;
  readonly serve?: string | undefined;
  readonly plan?: string | undefined;
}

/** @throws OptionError when no option describes the servers, or more than one does */
function readServers({ config = '', serve, plan }: ServerOptions, words: readonly string[] | undefined): ServersOption {
  if (serve === undefined) {
    if (config === '') throw new OptionError('--config FILE is required, or --serve with a command');
    if (words !== undefined) throw new OptionError('a command after -- needs --serve NAMESPACE/NAME');
    if (plan !== undefined)
      throw new OptionError(
        '--plan needs --serve; with --config, write the members of the plan into the configuration file',
      );
    return { config };
  }
  if (config !== '') throw new OptionError('--config and --serve: choose one');
  return { key: serve, words: words ?? [], plan };
}
