import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/**
 * Finds the file of a command on PATH as a shell does.
 *
 * @returns undefined when no file is executable
 */
export function findCommand(command: string, folder: string, path: string): string | undefined {
  const candidates = command.includes('/')
    ? [isAbsolute(command) ? command : resolve(folder, command)]
    : path.split(delimiter).map(entry => join(entry === '' ? folder : entry, command));
  return candidates.find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
