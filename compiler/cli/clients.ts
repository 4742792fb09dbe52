/** Commands that act as a client of a gateway or MCP server. */
import { Argument, type Command, Option } from 'commander';
import { GATEWAY_PORT } from '#schemas';
import { call } from '../commands/call.ts';
import { connect } from '../commands/connect.ts';
import { CHECK_FORMATS } from '../commands/doctor/check.ts';
import { doctor } from '../commands/doctor/doctor.ts';
import { doctorAuth } from '../commands/doctor/doctor-auth.ts';
import { LS_FORMATS, ls } from '../commands/ls.ts';
import { CLIENTS } from '../connect/index.ts';
import { DOCTOR_FORMATS } from '../doctor/index.ts';
import { parseDurationMs } from '../text/duration.ts';
import { UsageError } from '../usage-error.ts';
import { exitCodesHelp, USAGE } from './exit-codes.ts';
import { finish } from './finish.ts';
import { loadVariables, parseNotEmpty, parseTimeout } from './option-values.ts';
import { ENV_FILE_HELP, withCatalog, withPaths } from './options.ts';

/** Where `lintel serve` and `lintel dev` serve by default. */
const LOCAL_URL = `http://127.0.0.1:${GATEWAY_PORT}/mcp`;

const TOKEN_ENV_HELP =
  'environment variable with a token for the gateway; without this option, the client signs in if the gateway requires it';

const CONNECT_EXIT_CODES = exitCodesHelp({
  0: 'the entry is printed, is written, or exists already',
  2: `${USAGE}, or the file cannot be changed`,
});

const LS_EXIT_CODES = exitCodesHelp({
  0: 'the list is printed',
  2: USAGE,
  3: 'no list: the server or all its backends are unavailable, or the caller is refused',
});

const CALL_EXIT_CODES = exitCodesHelp({
  0: 'the tool returned a result',
  1: 'the tool returned an error',
  2: USAGE,
  3: 'no result: the server or all its backends are unavailable, the caller is refused, or the tool is unknown',
});

const DOCTOR_EXIT_CODES = exitCodesHelp({
  0: 'nothing is broken',
  1: 'something is broken',
  2: USAGE,
});

const DOCTOR_AUTH_EXIT_CODES = exitCodesHelp({
  0: 'a client can sign in, or needs no sign-in',
  1: 'a step of the sign-in fails',
  2: USAGE,
  3: 'the server does not answer',
});

export function addClientCommands(program: Command): void {
  program
    .command('connect')
    .addArgument(new Argument('<client>', 'the client').choices(CLIENTS))
    .description('Print the entry that a client needs for a running gateway, or write it into the file of the client.')
    .option('--url <url>', 'URL of the gateway', parseNotEmpty, LOCAL_URL)
    .option('--name <name>', 'name of the entry in the client', parseNotEmpty, 'lintel')
    .option('--token-env <variable>', TOKEN_ENV_HELP, parseNotEmpty)
    .option(
      '--write',
      "write the entry into the client's file, and change nothing else there; a backup of the file is stored next to it",
    )
    .option('--file <file>', "write to this file instead of the client's own", parseNotEmpty)
    .option('--force', 'replace an existing entry with this name')
    .addHelpText('after', CONNECT_EXIT_CODES)
    .action(async (client, { tokenEnv, ...options }) =>
      finish(await connect(client, { ...options, tokenVariable: tokenEnv })),
    );
  const withServer = <C extends Command>(command: C): C =>
    command
      .option(
        '--token-file <file>',
        'file with the token (default: the variable LINTEL_TOKEN, if it is set)',
        parseNotEmpty,
      )
      .addOption(
        new Option('--timeout <duration>', 'time limit for the command, such as 30s')
          .default(60_000, '60s')
          .argParser(text => parseDurationMs(parseTimeout(text))),
      )
      .addOption(new Option('--format <format>', 'output format').choices(LS_FORMATS).default('text')) as C;
  withServer(program.command('ls'))
    .addArgument(
      new Argument('[url]', `URL of the gateway, or of any MCP server (default: ${LOCAL_URL})`).argParser(
        parseNotEmpty,
      ),
    )
    .description('List what a running gateway or MCP server offers. Uses the network.')
    .option('--url <url>', 'another way to name the URL, the same as for `lintel call`', parseNotEmpty)
    .addHelpText('after', LS_EXIT_CODES)
    .action(async (url, { timeout, url: option, ...options }) => {
      if (url !== undefined && option !== undefined)
        throw new UsageError('give the URL once: as the argument or as --url');
      finish(await ls(url ?? option ?? LOCAL_URL, { ...options, timeoutMs: timeout }));
    });
  withServer(program.command('call'))
    .addArgument(new Argument('<tool>', 'name of the tool in the output of `lintel ls`').argParser(parseNotEmpty))
    .addArgument(
      new Argument('[arguments]', 'arguments of the tool as a JSON object, or - for standard input').argParser(
        parseNotEmpty,
      ),
    )
    .description('Call a tool of a running gateway or MCP server. Uses the network.')
    .option('--url <url>', 'URL of the gateway, or of any MCP server', parseNotEmpty, LOCAL_URL)
    .addHelpText('after', CALL_EXIT_CODES)
    // The command handles extra arguments itself: it can say what they were meant to be.
    .allowExcessArguments()
    .action(async (tool, _, { timeout, ...options }, { args: [, ...words] }) =>
      finish(await call(tool, words, { ...options, timeoutMs: timeout })),
    );
  const doctorCommand = withCatalog(withPaths(program.command('doctor')))
    .helpCommand(false)
    .enablePositionalOptions()
    .description(
      'Find out what prevents a gateway from serving. Checks this machine, the specs, their backends, the clients and the sign-in. Queries the backends and starts stdio servers, but changes nothing.',
    )
    .option('--dotenv <file>', ENV_FILE_HELP, loadVariables)
    .option('--url <url>', 'URL of the gateway', parseNotEmpty, LOCAL_URL)
    .option('--offline', 'query no backend', false)
    .addOption(
      new Option('--timeout <duration>', 'time limit for each response, such as 30s')
        .default(30_000, '30s')
        .argParser(text => parseDurationMs(parseTimeout(text))),
    )
    .addOption(new Option('--format <format>', 'output format').choices(CHECK_FORMATS).default('text'))
    .addHelpText('after', DOCTOR_EXIT_CODES)
    .action(async (paths = [], { timeout: timeoutMs, ...options }) =>
      finish(await doctor(paths, { ...options, timeoutMs })),
    );
  doctorCommand
    .command('auth')
    .addArgument(
      new Argument('<url>', 'URL of the MCP server as clients have it, such as https://mcp.example.com/mcp').argParser(
        parseNotEmpty,
      ),
    )
    .description(
      "Try the steps of a client's sign-in at any MCP server: challenge, metadata, endpoints, registration, PKCE. Names the step that fails. Sends no token, and registers nothing without --register.",
    )
    .option('--register', 'register a client and begin a sign-in, to check that both work', false)
    .option(
      '--client-id <id>',
      'id of a client that was registered by hand, for a server that does not support registration',
      parseNotEmpty,
    )
    .addOption(
      new Option('--timeout <duration>', 'time limit for each response, such as 30s')
        .default(10_000, '10s')
        .argParser(text => parseDurationMs(parseTimeout(text))),
    )
    .addOption(new Option('--format <format>', 'output format').choices(DOCTOR_FORMATS).default('text'))
    .addHelpText('after', DOCTOR_AUTH_EXIT_CODES)
    .action(async (url, { timeout: timeoutMs, ...options }) =>
      finish(await doctorAuth(url, { ...options, timeoutMs })),
    );
}
