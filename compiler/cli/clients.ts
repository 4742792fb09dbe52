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
  'environment variable with a token for the gateway; without it the client starts a sign-in where the gateway requires one';

const CONNECT_EXIT_CODES = exitCodesHelp({
  0: 'printed, written, or present already',
  2: `${USAGE}, or the file cannot be changed`,
});

const CLIENT_EXIT_CODES = exitCodesHelp({
  0: 'answered',
  1: 'the tool returned an error',
  2: USAGE,
  3: 'no result: the server or all its backends unavailable, caller refused, or tool unknown',
});

const DOCTOR_EXIT_CODES = exitCodesHelp({
  0: 'nothing is broken',
  1: 'something is broken',
  2: USAGE,
});

const DOCTOR_AUTH_EXIT_CODES = exitCodesHelp({
  0: 'a client can sign in, or needs no sign-in',
  1: 'a hop is broken',
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
      "write it into the client's file and change nothing else there; a backup is kept next to the file",
    )
    .option('--file <file>', "write to this file instead of the client's own", parseNotEmpty)
    .option('--force', 'replace another entry of that name')
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
      .addOption(new Option('--format <format>', 'output format').choices(LS_FORMATS).default('text'))
      .addHelpText('after', CLIENT_EXIT_CODES) as C;
  withServer(program.command('ls'))
    .addArgument(
      new Argument('[url]', `URL of the gateway, or of any MCP server (default: ${LOCAL_URL})`).argParser(
        parseNotEmpty,
      ),
    )
    .description('List what a running gateway or MCP server offers. Uses the network.')
    .option('--url <url>', 'the same as --url, which `lintel call` uses', parseNotEmpty)
    .action(async (url, { timeout, url: option, ...options }) => {
      if (url !== undefined && option !== undefined)
        throw new UsageError('give the URL once: as the argument or as --url');
      finish(await ls(url ?? option ?? LOCAL_URL, { ...options, timeoutMs: timeout }));
    });
  withServer(program.command('call'))
    .addArgument(new Argument('<tool>', 'name of the tool in the output of `lintel ls`').argParser(parseNotEmpty))
    .addArgument(
      new Argument('[arguments]', 'JSON object of its arguments, or - for standard input').argParser(parseNotEmpty),
    )
    .description('Call a tool of a running gateway or MCP server. Uses the network.')
    .option('--url <url>', 'URL of the gateway, or of any MCP server', parseNotEmpty, LOCAL_URL)
    // The command handles extra arguments itself: it can say what they were meant to be.
    .allowExcessArguments()
    .action(async (tool, _, { timeout, ...options }, { args: [, ...words] }) =>
      finish(await call(tool, words, { ...options, timeoutMs: timeout })),
    );
  const doctorCommand = withCatalog(withPaths(program.command('doctor')))
    .helpCommand(false)
    .enablePositionalOptions()
    .description(
      'Find out what prevents a gateway from serving: this machine, the specs, their backends, clients, sign-in. Queries the backends, and starts stdio servers; changes nothing.',
    )
    .option('--dotenv <file>', ENV_FILE_HELP, loadVariables)
    .option('--url <url>', 'URL of the gateway', parseNotEmpty, LOCAL_URL)
    .option('--offline', 'ask no backend', false)
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
      "Follow the steps of a client's sign-in at any MCP server, and name the step that fails: challenge, metadata, endpoints, registration, PKCE. Sends no token, and registers nothing without --register.",
    )
    .option('--register', 'register a client and begin a sign-in, to check that both work', false)
    .option(
      '--client-id <id>',
      'id of a client that was registered by hand; then the server need not support registration',
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
