import { BRIDGE_PORT, BRIDGE_TOKEN_VARIABLE } from '#schemas';
import { hostOption, OptionError, parseOptions, portOption } from '#util';

export interface BridgeOptions {
  /** A file, or `-` for standard input. */
  readonly config: string;
  readonly host: string;
  readonly port: number;
}

export const USAGE: string = `Usage: lintel-bridge --config FILE [options]

Runs MCP servers that speak over their standard streams, and serves each over Streamable HTTP at
/NAMESPACE/NAME/mcp. \`lintel dev\` and \`lintel serve\` start one for the specs that need it.

Options:
  --config FILE    JSON file with the servers; or - for standard input, where each line is a whole configuration that
                   takes the place of the one before, and whose end ends the bridge
  --host HOST      address to listen on (default 127.0.0.1)
  --port PORT      port to listen on, 0 for any free one (default ${BRIDGE_PORT})
  --version        print the version
  --help           print this text

Environment:
  ${BRIDGE_TOKEN_VARIABLE}   token that every request has to show in the header Lintel-Bridge-Token; required where HOST is no
                        loopback address (default: none is wanted)

Exit codes: 0 stopped by a signal or the end of standard input, 2 bad options or configuration, 70 internal error.
`;

const FLAGS = {
  config: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * @returns the options, or what to print instead of running
 * @throws OptionError
 */
export function readOptions(args: readonly string[]): BridgeOptions | 'help' | 'version' {
  const values = parseOptions(args, FLAGS);
  if (values.help === true) return 'help';
  if (values.version === true) return 'version';
  const { config, host = '127.0.0.1', port = String(BRIDGE_PORT) } = values;
  if (config === undefined || config === '') throw new OptionError('--config FILE is required');
  return { config, host: hostOption('--host', host), port: portOption('--port', port) };
}
