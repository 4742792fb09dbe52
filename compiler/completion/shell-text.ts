import type { CommandWords } from './command-words.ts';

/** A text as one word of bash and zsh. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** What the shell runs for the names of objects in the specs. */
export function namesCommand(kind: 'gateway' | 'registry'): string {
  return `lintel complete-names ${kind} 2>/dev/null`;
}

/** All commands but the program itself. */
export function pathsBelow(commands: readonly CommandWords[]): readonly string[] {
  return commands.slice(1).map(({ path }) => path);
}

/** The commands right below one. */
export function listSubcommands(
  commands: readonly CommandWords[],
  parent: string,
): readonly { readonly name: string; readonly description: string }[] {
  return commands.flatMap(({ path, description }) => {
    const at = path.lastIndexOf(' ');
    return at !== -1 && path.slice(0, at) === parent ? [{ name: path.slice(at + 1), description }] : [];
  });
}
