import type { CommandWords, Words } from './command-words.ts';
import { listPathsBelow, listSubcommands, namesCommand, quoteLiteral, splitArguments } from './shell-text.ts';

/** Also works with bash 3.2, which macOS has. If the script suggests nothing, bash suggests files. */
export function formatBashCompletion(commands: readonly CommandWords[]): string {
  const values = commands.flatMap(({ path, options }) =>
    options.flatMap(({ name, value }) =>
      value === undefined ? [] : [`    ${quoteLiteral(`${path} ${name}`)}) ${offer(value)}; return ;;`],
    ),
  );
  const words = commands.map(command => {
    const options = command.options.map(({ name }) => name);
    const below = listSubcommands(commands, command.path).map(({ name }) => name);
    const { choices } = splitArguments(command);
    return `    ${quoteLiteral(command.path)}) options=${quoteLiteral(options.join(' '))} words=${quoteLiteral(below.join(' '))} choices=${quoteLiteral(choices.join(' '))} ;;`;
  });
  return `# bash completion of lintel. In ~/.bashrc: source <(lintel completion bash)
_lintel() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} command=lintel options= words= choices= at
  # Bash takes --option=value for three words.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((at = 1; at < COMP_CWORD; at += 1)); do
    case "$command \${COMP_WORDS[at]}" in
    ${listPathsBelow(commands).map(quoteLiteral).join(' | ')}) command="$command \${COMP_WORDS[at]}" ;;
    esac
  done
  COMPREPLY=()
  case "$command $prev" in
${values.join('\n')}
  esac
  case "$command" in
${words.join('\n')}
  esac
  # The choice is the first argument.
  for at in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    if [[ " $choices " == *" $at "* ]]; then choices=; fi
  done
  words="$words $choices"
  if [[ $cur == -* ]]; then words=$options; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _lintel lintel
`;
}

function offer(value: Words): string {
  if (value.type === 'choice') return `COMPREPLY=($(compgen -W ${quoteLiteral(value.words.join(' '))} -- "$cur"))`;
  if (value.type === 'gateway' || value.type === 'registry')
    return `COMPREPLY=($(compgen -W "$(${namesCommand(value.type)})" -- "$cur"))`;
  return ':';
}
