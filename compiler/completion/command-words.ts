import type { Command } from 'commander';

/** The words that can follow: fixed words, a file, a folder, the name of an object, or free text. */
export type Words =
  | { readonly type: 'choice'; readonly words: readonly string[] }
  | { readonly type: 'file' | 'folder' | 'gateway' | 'registry' | 'text' };

export interface OptionWords {
  /** The name with its hyphens, such as `--format`. */
  readonly name: string;
  readonly description: string;
  /** Undefined for an option without a value. */
  readonly value: Words | undefined;
}

/** A command with its options and arguments. */
export interface CommandWords {
  /** Including the program, such as `lintel audit verify`. */
  readonly path: string;
  readonly description: string;
  readonly options: readonly OptionWords[];
  readonly args: readonly Words[];
}

/** A program and all its commands, taken from their help. */
export function listCommandWords(command: Command, parents: readonly string[] = []): readonly CommandWords[] {
  const help = command.createHelp();
  const path = [...parents, command.name()];
  const options = help
    .visibleOptions(command)
    .flatMap(({ long, description, argChoices, flags, required, optional }) =>
      long == null
        ? []
        : [{ name: long, description, value: required || optional ? chooseWords(long, flags, argChoices) : undefined }],
    );
  const args = command.registeredArguments.map(argument => chooseWords('', argument.name(), argument.argChoices));
  const own = { path: path.join(' '), description: command.description(), options, args };
  return [own, ...help.visibleCommands(command).flatMap(child => listCommandWords(child, path))];
}

/** The help uses the same placeholders everywhere: `<file>`, `<dir>`, `[path...]`. */
function chooseWords(option: string, placeholder: string, choices: readonly string[] | undefined): Words {
  if (choices !== undefined) return { type: 'choice', words: choices };
  if (option === '--gateway' || option === '--registry')
    return { type: option === '--gateway' ? 'gateway' : 'registry' };
  if (/\b(?:file|path|before|after|claims)\b/.test(placeholder)) return { type: 'file' };
  if (/\bdir\b/.test(placeholder)) return { type: 'folder' };
  return { type: 'text' };
}
