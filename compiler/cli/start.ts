/** Commands that begin a repository of specs. */
import { Argument, type Command, Option } from 'commander';
import { importFiles } from '../commands/import.ts';
import { CI_CHOICES, init } from '../commands/init.ts';
import { IMPORT_FORMATS } from '../import/index.ts';
import { exitCodesHelp, INTERRUPTED, USAGE } from './exit-codes.ts';
import { finish } from './finish.ts';
import { collect, collectPaths, parseNotEmpty } from './option-values.ts';

const IMPORT_HELP =
  "mcp.json of Claude, Cursor, VS Code, Windsurf and others, config.toml of Codex, a run configuration of ToolHive, a configuration of vmcp, objects of any version of ToolHive, a configuration of agentgateway, a catalog of Docker's MCP Toolkit";

const PLAIN_HELP =
  'name of a header, variable or query parameter whose value is not a secret, so that the specs contain it; "path" for a URL path that looks like a key, "args" for all arguments of programs; repeatable';

const IMPORT_EXIT_CODES = exitCodesHelp({
  0: 'written',
  1: 'not written: something cannot be imported, and --partial is not given',
  2: `${USAGE}, or the file has an unknown format`,
});

const INIT_EXIT_CODES = exitCodesHelp({
  0: 'the files are written, or exist already',
  1: "the files are written, but a part of a client's file could not be imported",
  2: USAGE,
  [INTERRUPTED]: 'ended by Ctrl-C: nothing is written',
});

export function addStartCommands(program: Command): void {
  program
    .command('init')
    .addArgument(
      new Argument('[dir]', 'folder of the repository (default: the current folder)').argParser(parseNotEmpty),
    )
    .description('Write the first files of a repository of specs. Changes no existing file.')
    .option('-y, --yes', 'ask no questions, even on a terminal')
    .option('--name <name>', 'name of the gateway (default: the name of the folder)', parseNotEmpty)
    .addOption(
      new Option('--server <url>', 'an MCP server to put behind the gateway')
        .argParser(parseNotEmpty)
        .conflicts('from'),
    )
    .option(
      '--from <file>',
      'configuration file of an MCP client; the gateway gets its servers as backends (default: the file in the folder, such as .mcp.json)',
      parseNotEmpty,
    )
    .addOption(
      new Option(
        '--ci <forge>',
        'where to run `lintel check` in CI (default: the forge of the repository, or none)',
      ).choices(CI_CHOICES),
    )
    .addHelpText('after', INIT_EXIT_CODES)
    .action(async (dir, options) => finish(await init(dir, options)));
  program
    .command('import')
    .addArgument(new Argument('<file...>', IMPORT_HELP).argParser(collectPaths))
    .description(
      'Write the specs of a gateway with the servers of an mcp.json or another configuration, without its secrets.',
    )
    .option('--out <dir>', 'folder for the specs', parseNotEmpty, 'specs')
    .option(
      '--name <name>',
      'name of a new gateway and of its file (default: imported, if no existing gateway gets the servers)',
      parseNotEmpty,
    )
    .addOption(
      new Option(
        '--into <group>',
        'add new servers to this existing group, in a file of their own (default: the group of the only gateway)',
      )
        .argParser(parseNotEmpty)
        .conflicts('name'),
    )
    .option('--partial', 'write what can be imported, and leave out the rest')
    .option('--only <server>', 'import only this server, by its name in the file; repeatable', collect)
    .option('--plain <name>', PLAIN_HELP, collect)
    .addOption(new Option('--format <format>', 'format of the report').choices(IMPORT_FORMATS).default('text'))
    .addHelpText('after', IMPORT_EXIT_CODES)
    .action(async (files, options) => finish(await importFiles(files, options)));
}
