import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { BRIDGE_IMAGE, GATEWAY_PORT, LOCK_FILE, nodeProblem, RUNTIME_IMAGE, TYPES_FILE, VERSION } from '#schemas';
import { ANSWER_FORMATS } from './analysis/access/render/answer.ts';
import { MATRIX_FORMATS } from './analysis/access/render/matrix.ts';
import { DIFFERENCE_FORMATS } from './analysis/exposure/difference/render/index.ts';
import { EXPOSURE_FORMATS } from './analysis/exposure/render/index.ts';
import { auditVerify, VERDICT_FORMATS } from './commands/audit-verify.ts';
import { baseline } from './commands/baseline.ts';
import { build } from './commands/build.ts';
import { call } from './commands/call.ts';
import { CAN_VERBS, can } from './commands/can.ts';
import { check } from './commands/check.ts';
import { watchCheck } from './commands/check-watch.ts';
import { renderMistakes, startAnnouncing } from './commands/compile-paths.ts';
import { completeNames, completion, SHELLS } from './commands/completion.ts';
import { connect } from './commands/connect.ts';
import { parseDenial } from './commands/denial.ts';
import { dev } from './commands/dev.ts';
import { diff } from './commands/diff.ts';
import { doctorAuth } from './commands/doctor.ts';
import { explain } from './commands/explain.ts';
import { EXPORT_LANGUAGES, exportSpecs } from './commands/export.ts';
import { exposure } from './commands/exposure.ts';
import { find } from './commands/find.ts';
import { importFiles } from './commands/import.ts';
import { CI_CHOICES, init } from './commands/init.ts';
import { LOCK_FORMATS, lock } from './commands/lock.ts';
import { typesArgument } from './commands/lock-types.ts';
import { LS_FORMATS, ls } from './commands/ls.ts';
import { lsp } from './commands/lsp.ts';
import { matrix } from './commands/matrix.ts';
import { isFormat, type OutputArgument, pairOutputs } from './commands/outputs.ts';
import { schema } from './commands/schema.ts';
import { schemaCdk8s } from './commands/schema-cdk8s.ts';
import { serve } from './commands/serve.ts';
import { LOG_FORMATS } from './commands/serving/runtime-process.ts';
import { test } from './commands/test.ts';
import { top } from './commands/top.ts';
import { CLIENTS } from './connect/clients.ts';
import { FORMATS } from './diagnostics/render/index.ts';
import { DOCTOR_FORMATS } from './doctor/render.ts';
import { FIND_FORMATS } from './find/render.ts';
import { IMPORT_FORMATS } from './import/render.ts';
import { ConfigurationError } from './project/configuration-error.ts';
import { describeFileError } from './source/find-files.ts';
import { durationMs } from './text/duration.ts';
import { UsageError } from './usage-error.ts';

const USAGE_ERROR = 2;
const INTERNAL_ERROR = 70;

const EXIT_CODES = `
Exit codes:
  0   clean
  1   findings at or above --fail-on
  2   usage or configuration error
  3   could not check completely
  70  internal error, please report it`;

const PATH_HELP =
  'files, programs (app.ts), folders (searched for .yaml, .yml and .json), or - for standard input; the sources of lintel.yaml when not given';

const ENV_HELP = 'environment variable that programs get; they get no other; repeatable';

const CATALOG_HELP = `tool lock that \`lintel lock\` wrote (default: that of lintel.yaml, else the ${LOCK_FILE} nearest to the given paths, else to the current folder)`;

const CLAIMS_HELP =
  'NAME,groups=GROUP,claim=VALUE, a JSON file of the claims of the token, - for standard input, or anonymous for a caller without one (default: anonymous)';

const FIND_CLAIMS_HELP =
  'search what this caller may call: NAME,groups=GROUP,claim=VALUE, a JSON file of the claims of the token, - for standard input, or anonymous (default: every tool)';

const DEV_AS_HELP =
  'UNSAFE, for trying policies without an identity provider: take tokens that this command makes for this caller, NAME,groups=GROUP,claim=VALUE or a JSON file of the claims, and no others; repeatable';

const EMBEDDING_URL_HELP =
  'search by meaning too, with vectors of this service, which speaks the protocol that the spec says; texts of all tools are sent to it';

const CAN_EXIT_CODES = `
Exit codes:
  0   allowed
  1   denied
  2   usage or configuration error
  3   could not be decided
  70  internal error, please report it`;

const FIND_EXIT_CODES = `
Exit codes:
  0   something is found
  1   nothing is found
  2   usage or configuration error, or no answer of the embedding service
  3   could not be known: the specs have errors, or the tool lock lacks backends
  70  internal error, please report it`;

const IMPORT_HELP =
  "mcp.json of Claude, Cursor, VS Code, Windsurf and others, config.toml of Codex, a run configuration of ToolHive, a configuration of vmcp, objects of any version of ToolHive, a configuration of agentgateway, a catalog of Docker's MCP Toolkit";

const PLAIN_HELP =
  'header, variable or query parameter whose value is no secret and may be written; path for a path that looks like a key, args for all arguments of programs; repeatable';

const IMPORT_EXIT_CODES = `
Exit codes:
  0   written
  1   not written: something cannot be carried over, and --partial does not leave it out
  2   usage error, or a file that is not understood
  70  internal error, please report it`;

const ENV_FILE_HELP =
  'file of environment variables, such as .env; those that are set already stay as they are; repeatable';

/** Where `lintel serve` and `lintel dev` serve by default. */
const LOCAL_URL = `http://127.0.0.1:${GATEWAY_PORT}/mcp`;

const TOKEN_ENV_HELP =
  'variable that holds a token for the gateway; without it clients sign people in where the gateway asks for that';

const CLIENT_EXIT_CODES = `
Exit codes:
  0   answered
  1   the tool says that it failed
  2   usage error
  3   no answer: the server is away, refuses the caller, or knows no such tool
  70  internal error, please report it`;

const INIT_EXIT_CODES = `
Exit codes:
  0   written, or left as it was
  1   written, but not every server of --from can be carried over
  2   usage error
  70  internal error, please report it`;

const MATRIX_EXIT_CODES = `
Exit codes:
  0   shown, or as expected
  1   not as expected
  2   usage or configuration error
  3   not everything is known
  70  internal error, please report it`;

const TEST_EXIT_CODES = `
Exit codes:
  0   every test passes
  1   a test fails or has mistakes, the specs have errors, or too little is covered
  2   usage or configuration error, or no tests
  3   could not check completely
  70  internal error, please report it`;

const SIDE_HELP =
  'a file or folder of specs, a folder that `lintel build` wrote or a bundle in it, or a file that `lintel exposure --format json` wrote';

const DIFF_EXIT_CODES = `
Exit codes:
  0   the same
  1   different
  2   usage or configuration error
  3   not everything could be compared
  70  internal error, please report it`;

const AUDIT_HEAD_HELP =
  'hash that the newest record must have, as /status shows it (audit.chainHead): without it, records that were cut off at the end are not noticed';

const AUDIT_EXIT_CODES = `
Exit codes:
  0   whole
  1   changed, moved, incomplete or not continued
  2   usage or configuration error
  3   no record is in a chain
  70  internal error, please report it`;

const DENY_PRIVATE_HELP =
  'connect to no backend, token endpoint or upstream registry at a private or loopback address, whatever the specs say; Services of a cluster are private, too';

const PRIVATE_BACKEND_HELP = 'exception to --deny-private-backends: a host name, *.DOMAIN or an address; repeatable';

const TOP_EXIT_CODES = `
Exit codes:
  0   shown
  2   usage error
  3   no status of a gateway could be read
  70  internal error, please report it`;

const DOCTOR_EXIT_CODES = `
Exit codes:
  0   a client gets through
  1   a hop is broken
  2   usage error
  3   the server does not answer
  70  internal error, please report it`;

const TOPIC_HELP =
  'such as LNT1003, VirtualMCPServer.spec.config, RegistryConfig.auth, lintel.yaml or lintel.lock.json; all topics when not given';

/** The headings of `lintel --help`. */
const COMMAND_GROUPS: { readonly [heading: string]: readonly string[] } = {
  'Start:': ['init', 'import'],
  'Check and build:': ['check', 'build', 'lock', 'baseline', 'test'],
  'See who can call what:': ['exposure', 'diff', 'can', 'matrix', 'find'],
  'Serve and watch:': ['serve', 'dev', 'top', 'audit'],
  'Clients:': ['connect', 'ls', 'call', 'doctor'],
  'Look up and convert:': ['explain', 'schema', 'export', 'lsp', 'completion'],
};

function createProgram(): Command {
  const program = new Command('lintel')
    .description(
      'Compiles declarative specs of MCP gateways and registry servers into bundles, checks them and serves them.',
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError("(try 'lintel --help')")
    // Names alone leave room for the descriptions on a terminal of 80 columns.
    .configureHelp({ subcommandTerm: command => command.name() })
    .addHelpCommand(
      new Command('help')
        .argument('[command]')
        .description('Print the help of a command.')
        .helpGroup('Look up and convert:'),
    )
    .addHelpText('after', EXIT_CODES);

  const withPrograms = <C extends Command>(command: C, envHelp = ENV_HELP): C =>
    command
      .option('--no-typecheck', 'do not check the types of programs')
      .option('--allow-network', 'allow programs to use the network; their results may then differ between runs')
      .option('--env <variable>', envHelp, variableNames)
      .addOption(
        new Option('--synth-timeout <duration>', 'time for one program, such as 30s (default: 30s)').argParser(text =>
          durationMs(timeoutText(text)),
        ),
      ) as C;
  const withPaths = (command: Command, envHelp?: string) =>
    withPrograms(command, envHelp)
      .addArgument(new Argument('[path...]', PATH_HELP).argParser(pathList))
      .option(
        '--config <file>',
        'configuration (default: the lintel.yaml nearest to the given paths, else to the current folder, up to the root of the repository)',
        notEmpty,
      )
      .option('--no-config', 'read no lintel.yaml');
  const withCatalog = <C extends Command>(command: C): C =>
    command.option('--catalog <file>', CATALOG_HELP, notEmpty) as C;
  const failOn = () =>
    new Option(
      '--fail-on <severity>',
      'least severity that makes the exit code 1 (default: failOn of lintel.yaml, or error)',
    ).choices(['error', 'warning', 'hint']);
  const withListen = (command: Command) =>
    command
      .option('--gateway <name>', 'name or namespace/name, when the sources describe more than one gateway', notEmpty)
      .option('--registry <name>', 'the same for a registry server', notEmpty)
      .option('--host <host>', 'address for clients (default 127.0.0.1)', notEmpty)
      .option(
        '--port <port>',
        'port for clients, 0 for any free one (default 4483; of a registry server 8080)',
        notEmpty,
      )
      .option(
        '--internal-address <address>',
        'host:port of /health, /version, /status and more (default 127.0.0.1:8081)',
        notEmpty,
      )
      .option('--allowed-origin <origin>', 'web origin that may call besides local pages; repeatable', collect)
      .option(
        '--state-dir <dir>',
        'where a registry server keeps what it read last from its sources, and a gateway the embeddings of its tools',
        notEmpty,
      )
      .option('--deny-private-backends', DENY_PRIVATE_HELP)
      .option('--private-backend <host>', PRIVATE_BACKEND_HELP, collect)
      .option('--dotenv <file>', ENV_FILE_HELP, loadVariables)
      .addOption(
        new Option('--log-format <format>', 'how the log is written (default: text on a terminal, else json)').choices(
          LOG_FORMATS,
        ),
      );

  program
    .command('init')
    .addArgument(new Argument('[dir]', 'folder of the repository (default: this one)').argParser(notEmpty))
    .description('Write the files that a repository of specs starts with. Changes no file that exists.')
    .option('-y, --yes', 'ask nothing, on a terminal either')
    .option('--name <name>', 'name of the gateway (default: that of the folder)', notEmpty)
    .addOption(new Option('--server <url>', 'an MCP server to put behind it').argParser(notEmpty).conflicts('from'))
    .option(
      '--from <file>',
      'file of an MCP client whose servers to put behind it (default: that of the folder, such as .mcp.json)',
      notEmpty,
    )
    .addOption(
      new Option(
        '--ci <forge>',
        'where the check runs (default: the forge of the repository, if it is one of these)',
      ).choices(CI_CHOICES),
    )
    .addHelpText('after', INIT_EXIT_CODES)
    .action(async (dir, options) => finish(await init(dir, options)));
  program
    .command('import')
    .addArgument(new Argument('<file...>', IMPORT_HELP).argParser(pathList))
    .description(
      'Write the specs of a gateway with the servers of an mcp.json or another configuration, without its secrets.',
    )
    .option('--out <dir>', 'folder for the specs', notEmpty, 'specs')
    .option('--name <name>', 'name of the gateway and of its file', notEmpty, 'imported')
    .option('--partial', 'write what can be carried over, and leave the rest out')
    .option('--only <server>', 'import this server alone, as the file calls it; may be given more than once', collect)
    .option('--plain <name>', PLAIN_HELP, collect)
    .addOption(new Option('--format <format>', 'how the report is written').choices(IMPORT_FORMATS).default('text'))
    .addHelpText('after', IMPORT_EXIT_CODES)
    .action(async (files, options) => finish(await importFiles(files, options)));
  const checkOutputs: OutputArgument[] = [];
  withOutputs(withCatalog(withPaths(program.command('check'))), checkOutputs)
    .description('Check specs and print every finding.')
    .option(
      '--language-only',
      'check the specs alone: what this version cannot serve yet is a hint instead of an error',
    )
    .addOption(failOn())
    .option(
      '--fix',
      'change what has a safe fix: misspelt fields, kinds and values; never what decides who may call what',
    )
    .option('--dry-run', 'with --fix: print the change as a unified diff, and change no file')
    .addOption(new Option('--watch', 'check again after each change, until Ctrl-C').conflicts(['fix', 'dryRun']))
    .action(async (paths = [], options) => {
      const { fix = false, dryRun = false, watch = false } = options;
      if (dryRun && !fix) throw new UsageError('--dry-run is about --fix: add it');
      if (dryRun && checkOutputs.length > 0)
        throw new UsageError('--dry-run prints a diff instead of findings: leave out --format and --output');
      if (fix && paths.includes('-')) throw new UsageError('--fix changes files; standard input is none');
      if (watch && paths.includes('-')) throw new UsageError('--watch is about files; standard input cannot change');
      const isFormatGiven = checkOutputs.length > 0;
      const given = { ...options, outputs: pairOutputs(checkOutputs) };
      finish(await (watch ? watchCheck(paths, { ...given, isFormatGiven }) : check(paths, given)));
    });
  const buildOutputs: OutputArgument[] = [];
  const buildCommand = withPaths(program.command('build'))
    .description(
      'Check specs and write a bundle for every gateway, MCPServer, MCPRemoteProxy and registry server without errors.',
    )
    .requiredOption('--out <dir>', 'folder for the bundles and their index.json', notEmpty)
    .option('--revision <text>', 'source revision recorded in the bundles, such as main@sha1:0123…')
    .option(
      '--manifests <dir>',
      'also write the Kubernetes objects that run each of them, as NAMESPACE/KIND-NAME.yaml, and a kustomization.yaml',
      notEmpty,
    )
    .option('--image <image>', `image of the runtime in the manifests (default ${RUNTIME_IMAGE})`, imageName)
    .option(
      '--bridge-image <image>',
      `image of the bridge for servers that speak over their standard streams (default ${BRIDGE_IMAGE})`,
      imageName,
    )
    .option('--no-network-policy', 'no NetworkPolicy in the manifests');
  withOutputs(withCatalog(buildCommand), buildOutputs)
    .addOption(failOn())
    .action(async (paths, { manifests: folder, image, bridgeImage, networkPolicy, ...options }) => {
      if (folder === undefined && (image !== undefined || bridgeImage !== undefined || !networkPolicy))
        throw new UsageError(
          '--image, --bridge-image and --no-network-policy are about manifests: add --manifests <dir>',
        );
      const manifests = folder === undefined ? undefined : { folder, settings: { image, bridgeImage, networkPolicy } };
      finish(await build(paths, { ...options, outputs: pairOutputs(buildOutputs), manifests }));
    });
  withCatalog(withPaths(program.command('exposure')))
    .description(
      'Show who can reach which tool, prompt and resource, or which route of a registry server, and which credential goes where.',
    )
    .addOption(new Option('--format <format>', 'output format').choices(EXPOSURE_FORMATS).default('pretty'))
    .option('--output <file>', 'file to write to (default: standard output)', notEmpty)
    .option('--gateway <name>', 'only this gateway or server: name or namespace/name (default: everything)', notEmpty)
    .option('--registry <name>', 'only this registry server: name or namespace/name (default: everything)', notEmpty)
    .action(async (paths, options) => finish(await exposure(paths, options)));
  withCatalog(withPrograms(program.command('diff')))
    .addArgument(new Argument('<before>', SIDE_HELP).argParser(notEmpty))
    .addArgument(new Argument('<after>', 'the same, to be compared with it').argParser(notEmpty))
    .description('Compare two states of specs, and show what the change opens and closes, and for which callers.')
    .addOption(new Option('--format <format>', 'output format').choices(DIFFERENCE_FORMATS).default('pretty'))
    .option('--output <file>', 'file to write to (default: standard output)', notEmpty)
    .addHelpText('after', DIFF_EXIT_CODES)
    .action(async (before, after, options) => finish(await diff(before, after, options)));
  const canCommand = program
    .command('can')
    .addArgument(new Argument('<what>', 'what is asked').choices(CAN_VERBS))
    .addArgument(
      new Argument('<name>', 'the tool or prompt as clients see it, or the URI of a resource').argParser(notEmpty),
    );
  withCatalog(withPaths(canCommand))
    .description('Say whether a caller may call a tool, get a prompt or read a resource, and which policy decides.')
    .option('--as <claims>', CLAIMS_HELP, notEmpty)
    .option('--args <file>', 'JSON file of the arguments, or - for standard input (default: none)', notEmpty)
    .option(
      '--gateway <name>',
      'name or namespace/name, of a server MCPServer/name, when the sources describe several',
      notEmpty,
    )
    .addOption(new Option('--format <format>', 'output format').choices(ANSWER_FORMATS).default('text'))
    .addHelpText('after', CAN_EXIT_CODES)
    .action(async (what, name, paths, options) => finish(await can(what, name, paths, options)));
  const findCommand = program
    .command('find')
    .addArgument(new Argument('<words>', 'what is looked for, in a sentence or some words').argParser(notEmpty));
  withCatalog(withPaths(findCommand))
    .description('Show which tools the optimizer of a gateway finds for some words. Works offline, from the tool lock.')
    .option('--as <claims>', FIND_CLAIMS_HELP, notEmpty)
    .option('--embedding-url <url>', EMBEDDING_URL_HELP, notEmpty)
    .option('--gateway <name>', 'name or namespace/name, when the sources describe several gateways', notEmpty)
    .addOption(new Option('--format <format>', 'output format').choices(FIND_FORMATS).default('text'))
    .addHelpText('after', FIND_EXIT_CODES)
    .action(async (words, paths, options) => finish(await find(words, paths, options)));
  withCatalog(withPaths(program.command('matrix')))
    .description('Show what each of several callers may do, or compare that with an expected matrix.')
    .requiredOption('--as <dir>', 'folder of callers: NAME.json holds the claims of the token of NAME', notEmpty)
    .addOption(new Option('--format <format>', 'output format').choices(MATRIX_FORMATS).default('text'))
    .option('--output <file>', 'file to write to (default: standard output)', notEmpty)
    .option('--gateway <name>', 'name or namespace/name, of a server MCPServer/name (default: all)', notEmpty)
    .addOption(
      new Option('--expect <file>', 'compare with a file that --format json wrote, and print the differences')
        .argParser(notEmpty)
        .conflicts(['format', 'output']),
    )
    .addHelpText('after', MATRIX_EXIT_CODES)
    .action(async (paths, options) => finish(await matrix(paths, options)));
  const testOutputs: OutputArgument[] = [];
  withOutputs(
    withCatalog(
      withPaths(
        program.command('test'),
        'environment variable that programs get and, with --record, that specs may name in addition to LINTEL_…; repeatable',
      ),
    ),
    testOutputs,
  )
    .description(
      'Run the tests of workflows, *.test.yaml next to the specs, with the engine of the gateway. Works offline, except for --record.',
    )
    .option('--min-coverage <percent>', 'least share of the steps and branches of each workflow', percentText)
    .option(
      '--record',
      'call the tools of backends where tests have no answer, and write the answers into the tests, and what the run came to where they expect nothing; only tools that are said to be read-only',
    )
    .option('--allow-writes', 'with --record: call the other tools too, which may change something')
    .option(
      '--token <backend=source>',
      'with --record: where its bearer token is: env:NAME or file:PATH; repeatable',
      collect,
    )
    .option('--url <backend=url>', 'with --record: ask a backend at another address; repeatable', collect)
    .option('--deny-private-backends', DENY_PRIVATE_HELP)
    .option('--private-backend <host>', PRIVATE_BACKEND_HELP, collect)
    .addOption(
      new Option('--timeout <duration>', 'with --record: time for one call, such as 30s')
        .default('60s')
        .argParser(timeoutText),
    )
    .addHelpText('after', TEST_EXIT_CODES)
    .action(async (paths = [], { record, allowWrites = false, token, url, timeout, ...options }) => {
      if (record !== true && (allowWrites || token !== undefined || url !== undefined))
        throw new UsageError('--allow-writes, --token and --url are about --record: add it');
      const denial = parseDenial(options);
      const live = { allowWrites, token, url, env: options.env, denial, timeoutMs: durationMs(timeout) };
      const outputs = pairOutputs(testOutputs);
      finish(await test(paths, { ...options, outputs, record: record === true ? live : undefined }));
    });
  withListen(withCatalog(withPaths(program.command('serve'))))
    .description('Compile specs and serve one gateway or registry server.')
    .action(async (paths, options) => finish(await serve(paths, options)));
  withListen(withCatalog(withPaths(program.command('dev'))))
    .description('Serve one gateway or registry server and follow changes of the specs without dropping sessions.')
    .option('--as <caller>', DEV_AS_HELP, collect)
    .action(async (paths, options) => finish(await dev(paths, options)));
  program
    .command('connect')
    .addArgument(new Argument('<client>', 'the client').choices(CLIENTS))
    .description('Print the entry that a client needs for a running gateway, or write it into the file of the client.')
    .option('--url <url>', 'URL of the gateway', notEmpty, LOCAL_URL)
    .option('--name <name>', 'what the client calls it', notEmpty, 'lintel')
    .option('--token-env <variable>', TOKEN_ENV_HELP, notEmpty)
    .option(
      '--write',
      'write it into the file, where everything else stays as it is; what was there is kept next to it',
    )
    .option('--file <file>', 'another file than that of the client', notEmpty)
    .option('--force', 'replace another entry of that name')
    .action(async (client, { tokenEnv, ...options }) =>
      finish(await connect(client, { ...options, tokenVariable: tokenEnv })),
    );
  const withServer = <C extends Command>(command: C): C =>
    command
      .option(
        '--token-file <file>',
        'file that holds the token (default: the variable LINTEL_TOKEN, where it is set)',
        notEmpty,
      )
      .addOption(
        new Option('--timeout <duration>', 'time for everything, such as 30s')
          .default(60_000, '60s')
          .argParser(text => durationMs(timeoutText(text))),
      )
      .addOption(new Option('--format <format>', 'output format').choices(LS_FORMATS).default('text'))
      .addHelpText('after', CLIENT_EXIT_CODES) as C;
  withServer(program.command('ls'))
    .addArgument(
      new Argument('[url]', 'URL of the gateway, or of any MCP server').argParser(notEmpty).default(LOCAL_URL),
    )
    .description('List what a running gateway or MCP server offers. Uses the network.')
    .action(async (url, { timeout, ...options }) => finish(await ls(url, { ...options, timeoutMs: timeout })));
  withServer(program.command('call'))
    .addArgument(new Argument('<tool>', 'name of the tool, as `lintel ls` shows it').argParser(notEmpty))
    .addArgument(
      new Argument('[arguments]', 'JSON object of its arguments, or - for standard input').argParser(notEmpty),
    )
    .description('Call a tool of a running gateway or MCP server. Uses the network.')
    .option('--url <url>', 'URL of the gateway, or of any MCP server', notEmpty, LOCAL_URL)
    .action(async (tool, args, { timeout, ...options }) =>
      finish(await call(tool, args, { ...options, timeoutMs: timeout })),
    );
  program
    .command('top')
    .addArgument(
      new Argument('<url>', 'internal address of the gateway, such as http://127.0.0.1:8081').argParser(notEmpty),
    )
    .description(
      'Show backends, sessions, calls, workflows and limits of a running gateway, live on a terminal (q ends it), otherwise once. Uses the network.',
    )
    .option('--once', 'print once, on a terminal too')
    .addOption(
      new Option('--interval <duration>', 'time between two looks, such as 500ms')
        .default(2_000, '2s')
        .argParser(text => durationMs(timeoutText(text))),
    )
    .addHelpText('after', TOP_EXIT_CODES)
    .action(async (url, options) => finish(await top(url, options)));
  const doctor = program
    .command('doctor')
    .helpCommand(false)
    .description('Find out why a running server does not work. Uses the network.');
  doctor
    .command('auth')
    .addArgument(
      new Argument('<url>', 'the MCP server as clients name it, such as https://mcp.example.com/mcp').argParser(
        notEmpty,
      ),
    )
    .description(
      'Go the way of a client to the sign-in of any MCP server, and name the hop that is broken: challenge, metadata, endpoints, registration, PKCE. Sends no token, and registers nothing without --register.',
    )
    .option('--register', 'register a client and begin a sign-in, to see that both work', false)
    .option('--client-id <id>', 'a client that was registered by hand: then no way to register is needed', notEmpty)
    .addOption(
      new Option('--timeout <duration>', 'time for each answer, such as 30s')
        .default(10_000, '10s')
        .argParser(text => durationMs(timeoutText(text))),
    )
    .addOption(new Option('--format <format>', 'output format').choices(DOCTOR_FORMATS).default('text'))
    .addHelpText('after', DOCTOR_EXIT_CODES)
    .action(async (url, { timeout: timeoutMs, ...options }) =>
      finish(await doctorAuth(url, { ...options, timeoutMs })),
    );
  withPaths(program.command('baseline'))
    .description('Record the findings of today in a baseline, so that only new findings count.')
    .option('--prune', 'only remove findings that no longer occur')
    .addOption(
      new Option('--check', 'change nothing; exit with 1 when --prune would remove something').conflicts('prune'),
    )
    .action(async (paths, options) => finish(await baseline(paths, options)));
  withPaths(
    program.command('lock'),
    'environment variable that specs may name besides LINTEL_…, and that programs get; repeatable',
  )
    .description('Ask the backends of specs what they offer, and write the answers to the tool lock. Uses the network.')
    .option(
      '--out <file>',
      `file of the tool lock (default: the one that --catalog of check would be, else a new ${LOCK_FILE} here)`,
      notEmpty,
    )
    .option('--check', 'write nothing; exit with 1 when the backends offer something else')
    .option('--prune', 'remove entries of backends that the specs do not have')
    .option(
      '--types [file]',
      `write TypeScript types of the tools too, to this .ts file (default: ${TYPES_FILE} next to the tool lock; once there, it is kept current without this option)`,
    )
    .addOption(
      new Option('--offline', 'ask no backend: only write, or --check, the types of the tool lock as it is').conflicts([
        'prune',
        'backend',
        'token',
        'env',
        'url',
      ]),
    )
    .option('--backend <backend>', 'ask this one only, by name or key; repeatable', collect)
    .option('--dotenv <file>', ENV_FILE_HELP, loadVariables)
    .option('--token <backend=source>', 'where its bearer token is: env:NAME or file:PATH; repeatable', collect)
    .option('--url <backend=url>', 'ask a backend at another address, such as a forwarded port; repeatable', collect)
    .option('--deny-private-backends', DENY_PRIVATE_HELP)
    .option('--private-backend <host>', PRIVATE_BACKEND_HELP, collect)
    .addOption(
      new Option('--timeout <duration>', 'time for one backend, such as 30s').default('60s').argParser(timeoutText),
    )
    .addOption(new Option('--format <format>', 'how the difference is written').choices(LOCK_FORMATS).default('pretty'))
    .action(async (paths, { timeout, types, ...options }) => {
      const meant = typesArgument(types, paths);
      finish(await lock(meant.paths, { ...options, types: meant.types, timeoutMs: durationMs(timeout) }));
    });
  withCatalog(
    withPaths(
      program.command('export').addArgument(new Argument('<language>', 'what to write').choices(EXPORT_LANGUAGES)),
    ),
  )
    .description('Write specs as a program of constructs (ts), or the objects of a program as specs (yaml).')
    .addOption(
      new Option('--out <path>', 'file or folder to write to, or - for standard output')
        .default('-', 'standard output')
        .argParser(notEmpty),
    )
    .option('--force', 'replace files that are there', false)
    .action(async (language, paths, options) => finish(await exportSpecs(language, paths, options)));
  const audit = program
    .command('audit')
    .helpCommand(false)
    .description('Verify the audit log of a gateway or registry server.');
  audit
    .command('verify')
    .description(
      'Verify the hash chain of an audit log (LINTEL_AUDIT_CHAIN=true), together with its rotated files in any order.',
    )
    .addArgument(new Argument('<file...>', 'the log and its rotated files, also as .gz').argParser(pathList))
    .option('--head <hash>', AUDIT_HEAD_HELP, notEmpty)
    .addOption(new Option('--format <format>', 'how the verdict is written').choices(VERDICT_FORMATS).default('pretty'))
    .addHelpText('after', AUDIT_EXIT_CODES)
    .action(async (files, { head, format }) => finish(await auditVerify(files, { head, format })));
  program
    .command('schema')
    .description('Write JSON Schemas for editors, CRDs for a cluster, the field reference, or constructs for cdk8s.')
    .addArgument(new Argument('<part>', 'what to write').choices(['json', 'crd', 'reference', 'cdk8s']))
    .requiredOption('--out <dir>', 'folder to write to', notEmpty)
    .option('--group <group>', 'API group of the constructs, with cdk8s', notEmpty)
    .action(async (part, options) =>
      finish(part === 'cdk8s' ? await schemaCdk8s(options.out, options.group) : await schema(part, options)),
    );
  program
    .command('explain')
    .description('Explain a code, a kind or a field, offline.')
    .addArgument(new Argument('[topic]', TOPIC_HELP).argParser(notEmpty))
    .action(topic => finish(explain(topic)));
  program
    .command('lsp')
    .description('Serve an editor: the language server, over standard input and output.')
    .option('--stdio', 'what editors ask for; there is no other way')
    // The client library of VS Code adds it; the library of the server watches that process.
    .addOption(new Option('--clientProcessId <id>', 'the process of the editor').hideHelp())
    .action(async () => await lsp());
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .description('Print a script that completes commands, options and names in a shell.')
    .action(shell => finish(completion(program, shell)));
  program
    .command('complete-names', { hidden: true })
    .addArgument(new Argument('<kind>').choices(['gateway', 'registry']))
    .action(kind => finish(completeNames(kind)));
  for (const [heading, names] of Object.entries(COMMAND_GROUPS))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading);
  for (const command of program.commands) {
    command.showHelpAfterError(`(try 'lintel ${command.name()} --help')`);
  }
  return program;
}

/** `--format` and `--output`, noted in `given` in their order: a file belongs to a format by its position. */
function withOutputs<C extends Command>(command: C, given: OutputArgument[]): C {
  const format = new Option('--format <format>', 'how findings are written; repeatable')
    .choices(FORMATS)
    .default('pretty')
    .argParser(text => {
      if (!isFormat(text)) throw new InvalidArgumentError(`Allowed choices are ${FORMATS.join(', ')}.`);
      given.push({ format: text });
      return text;
    });
  const output = new Option('--output <file>', 'file for the --format before it (default: standard output)').argParser(
    text => {
      given.push({ file: notEmpty(text) });
      return text;
    },
  );
  const all = new Option('--all', 'show every finding, and not the first of each code');
  command.addOption(format).addOption(output).addOption(all);
  return command;
}

/** An empty argument is an unset variable of a script, not the working directory. */
function notEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  return text;
}

/** No image has white space in its name; anything else is checked when it is pulled. */
function imageName(text: string): string {
  if (!/^\S+$/.test(text)) throw new InvalidArgumentError('It is no name of an image.');
  return text;
}

function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), notEmpty(text)];
}

/** While options are read, since what follows them reads variables. */
function loadVariables(file: string): string {
  try {
    process.loadEnvFile(notEmpty(file));
  } catch (error) {
    throw new UsageError(`--dotenv: cannot read ${file}: ${describeFileError(error)}`);
  }
  return file;
}

/** The value would be in the list of processes, and is not repeated here either. */
function variableNames(text: string, before: readonly string[] | undefined): readonly string[] {
  const [name = ''] = text.split('=');
  if (name !== text)
    throw new UsageError(`--env takes the name of a variable, ${name}, whose value comes from the environment`);
  return collect(text, before);
}

function timeoutText(text: string): string {
  if (!/^[1-9]\d{0,5}(?:ms|s|m)$/.test(text)) throw new InvalidArgumentError('Write it as 500ms, 30s or 2m.');
  return text;
}

function percentText(text: string): number {
  const percent = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(percent <= 100)) throw new InvalidArgumentError('Write a whole number from 0 to 100.');
  return percent;
}

function pathList(path: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), notEmpty(path)];
}

function finish(code: number): void {
  process.exitCode = code;
}

/** Runs a command to its end and sets the exit code of the process. */
export async function main(args: readonly string[]): Promise<void> {
  startAnnouncing();
  try {
    const tooOld = nodeProblem(process.versions.node);
    if (tooOld !== undefined) throw new UsageError(tooOld);
    const program = createProgram();
    await program.parseAsync(withoutHelpOfUnknown(program, args), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version were asked for; anything else is a mistake in the call, which commander has printed.
      finish(error.exitCode === 0 ? 0 : USAGE_ERROR);
    } else if (error instanceof UsageError) {
      if (error instanceof ConfigurationError) process.stderr.write(renderMistakes(error, process.stderr));
      process.stderr.write(`lintel: ${error.message}\n`);
      finish(USAGE_ERROR);
    } else {
      process.stderr.write(
        `lintel: internal error, please report it with the text below\nlintel ${VERSION}, node ${process.version}, ${process.platform}\n${(error as Error).stack ?? String(error)}\n`,
      );
      finish(INTERNAL_ERROR);
    }
  }
}

/** Commander answers `lintel mistyped --help` with the help of the program, as if the command were one. */
function withoutHelpOfUnknown({ commands }: Command, args: readonly string[]): string[] {
  const [name = '-'] = args;
  const isKnown = name === 'help' || name.startsWith('-') || commands.some(command => command.name() === name);
  return isKnown ? [...args] : args.filter(arg => arg !== '--help' && arg !== '-h');
}
