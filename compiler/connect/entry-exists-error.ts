import { UsageError } from '../usage-error.ts';

/** The client already has another server with this name. */
export class EntryExistsError extends UsageError {
  constructor(file: string, name: string) {
    super(`${file} has another entry "${name}": give this one another --name, or replace that one with --force`);
  }
}
