import type { CommandWords, Words } from './command-words.ts';
import { listSubcommands, literal, namesCommand, pathsBelow } from './shell-text.ts';
import { shortDescription } from './short-description.ts';

export function zshCompletion(commands: readonly CommandWords[]): string {
  const values = commands.flatMap(({ path, options }) =>
    options.flatMap(({ name, value }) =>
      value === undefined ? [] : [`    (${literal(`${path} ${name}`)}) ${offer(value)}; return ;;`],
    ),
  );
  const rest = commands.map(({ path, options, args }) => {
    const below = listSubcommands(commands, path);
    return `    (${literal(path)})
      found=(${options.map(described).join(' ')})
      below=(${below.map(described).join(' ')})
      if [[ $words[CURRENT] == -* ]]; then
        _describe -o option found
      else
        (( $#below )) && _describe command below
        ${args.map(offer).join('\n        ') || ':'}
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
    (${pathsBelow(commands).map(literal).join('|')}) command="$command $words[at]" ;;
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

function described({ name, description }: { readonly name: string; readonly description: string }): string {
  return literal(`${name}:${shortDescription(description).replaceAll('\\', '\\\\').replaceAll(':', '\\:')}`);
}

function offer(value: Words): string {
  switch (value.type) {
    case 'choice':
      return `compadd -- ${value.words.map(literal).join(' ')}`;
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
