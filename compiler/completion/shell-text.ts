import type { CommandWords, Words } from './command-words.ts';

/** A text as one quoted word for bash and zsh. */
export function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command that a shell runs to list names of objects. */
export function namesCommand(kind: 'gateway' | 'registry'): string {
  return `lintel complete-names ${kind} 2>/dev/null`;
}

/** The words of the first argument, of which one is chosen, and the arguments behind it. Without such an argument, no words. */
export function splitArguments({ args }: CommandWords): {
  readonly choices: readonly string[];
  readonly rest: readonly Words[];
} {
  const [first, ...rest] = args;
  return first?.type === 'choice' ? { choices: first.words, rest } : { choices: [], rest: args };
}

/** All commands except the program itself. */
export function listPathsBelow(commands: readonly CommandWords[]): readonly string[] {
  return commands.slice(1).map(({ path }) => path);
}

/** The direct subcommands of a command. */
export function listSubcommands(
  commands: readonly CommandWords[],
  parent: string,
): readonly { readonly name: string; readonly description: string }[] {
  return commands.flatMap(({ path, description }) => {
    const at = path.lastIndexOf(' ');
    return at !== -1 && path.slice(0, at) === parent ? [{ name: path.slice(at + 1), description }] : [];
  });
}
