import type { CommandWords, Words } from './command-words.ts';
import { listPathsBelow, listSubcommands, namesCommand, quoteLiteral, splitArguments } from './shell-text.ts';
import { shortenDescription } from './short-description.ts';

export function formatZshCompletion(commands: readonly CommandWords[]): string {
  const values = commands.flatMap(({ path, options }) =>
    options.flatMap(({ name, value }) =>
      value === undefined ? [] : [`    (${quoteLiteral(`${path} ${name}`)}) ${offer(value)}; return ;;`],
    ),
  );
  const rest = commands.map(command => {
    const { path, options } = command;
    const below = listSubcommands(commands, path);
    return `    (${quoteLiteral(path)})
      found=(${options.map(formatDescribed).join(' ')})
      below=(${below.map(formatDescribed).join(' ')})
      if [[ $words[CURRENT] == -* ]]; then
        _describe -o option found
      else
        (( $#below )) && _describe command below
        ${offerArguments(command)}
      fi
      ;;`;
  });
  return `#compdef lintel
# zsh completion of lintel. Behind compinit in ~/.zshrc: source <(lintel completion zsh)
_lintel() {
  local command=lintel
  local -a found below
  integer at
  for (( at = 2; at < CURRENT; at += 1 )); do
    case "$command $words[at]" in
    (${listPathsBelow(commands).map(quoteLiteral).join('|')}) command="$command $words[at]" ;;
    esac
  done
  case "$command $words[CURRENT-1]" in
${values.join('\n')}
  esac
  case $command in
${rest.join('\n')}
  esac
}
if [[ $funcstack[1] == _lintel ]]; then _lintel "$@"; else compdef _lintel lintel; fi
`;
}

/** Only the first argument has fixed words to choose from. They are offered until one of them is on the command line. */
function offerArguments(command: CommandWords): string {
  const { choices, rest } = splitArguments(command);
  const others = rest.map(offer).join('\n        ') || ':';
  if (choices.length === 0) return others;
  const made = `(( \${words[2,CURRENT-1][(I)(${choices.join('|')})]} ))`;
  return `if ! ${made}; then ${offer({ type: 'choice', words: choices })}; return; fi
        ${others}`;
}

function formatDescribed({ name, description }: { readonly name: string; readonly description: string }): string {
  return quoteLiteral(`${name}:${shortenDescription(description).replaceAll('\\', '\\\\').replaceAll(':', '\\:')}`);
}

function offer(value: Words): string {
  switch (value.type) {
    case 'choice':
      return `compadd -- ${value.words.map(quoteLiteral).join(' ')}`;
    case 'file':
      return '_files';
    case 'folder':
      return '_files -/';
    case 'text':
      return ':';
    default:
      return `compadd -- \${(f)"$(${namesCommand(value.type)})"}`;
  }
}
