import { UsageError } from '../usage-error.ts';

/** A client knows something else by this name. */
export class EntryExistsError extends UsageError {
  constructor(file: string, name: string) {
    super(`${file} has another entry "${name}": give this one another --name, or replace that one with --force`);
  }
}
