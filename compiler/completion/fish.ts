import type { CommandWords, Words } from './command-words.ts';
import { listPathsBelow, listSubcommands, namesCommand } from './shell-text.ts';
import { shortenDescription } from './short-description.ts';

export function formatFishCompletion(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ path, options, args }) => {
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
      ...args.flatMap(arg => (arg.type === 'text' ? [] : [`${at} ${formatArgument(arg)}`])),
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
