import type { CommandWords, Words } from './command-words.ts';
import { listPathsBelow, listSubcommands, namesCommand, splitArguments } from './shell-text.ts';
import { shortenDescription } from './short-description.ts';

export function formatFishCompletion(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(command => {
    const { path, options } = command;
    const { choices, rest } = splitArguments(command);
    const isMade = `__lintel_at ${path}; and __fish_seen_subcommand_from ${choices.join(' ')}`;
    const notMade = isMade.replace('and ', 'and not ');
    const behind = choices.length === 0 ? `__lintel_at ${path}` : isMade;
    const at = `complete -c lintel -n ${quote(`__lintel_at ${path}`)}`;
    return [
      ...listSubcommands(commands, path).map(
        ({ name, description }) => `${at} -a ${name} -d ${quote(shortenDescription(description))}`,
      ),
      ...options.map(({ name, description, value }) =>
        [
          `${at} -l ${name.slice(2)}`,
          ...(value === undefined ? [] : [formatValue(value)]),
          `-d ${quote(shortenDescription(description))}`,
        ].join(' '),
      ),
      // Only the first argument has fixed words to choose from. They are offered until one of them is on the command line.
      ...(choices.length === 0
        ? []
        : [`complete -c lintel -n ${quote(notMade)} ${formatArgument({ type: 'choice', words: choices })}`]),
      ...rest.flatMap(arg =>
        arg.type === 'text' ? [] : [`complete -c lintel -n ${quote(behind)} ${formatArgument(arg)}`],
      ),
    ];
  });
  return `# fish completion of lintel: lintel completion fish > ~/.config/fish/completions/lintel.fish
function __lintel_at
  set -l command lintel
  for word in (commandline -opc)[2..-1]
    switch "$command $word"
      case ${listPathsBelow(commands).map(quote).join(' ')}
        set command "$command $word"
    end
  end
  test "$command" = "$argv"
end
complete -c lintel -f
${lines.join('\n')}
`;
}

function formatValue(value: Words): string {
  return value.type === 'file' ? '-r -F' : value.type === 'text' ? '-x' : `-x ${formatArgument(value)}`;
}

function formatArgument(value: Words): string {
  switch (value.type) {
    case 'choice':
      return `-a ${quote(value.words.join(' '))}`;
    case 'folder':
      return `-a '(__fish_complete_directories)'`;
    case 'gateway':
    case 'registry':
      return `-a '(${namesCommand(value.type)})'`;
    default:
      return '-F';
  }
}

/** Fish has two escapes within single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
