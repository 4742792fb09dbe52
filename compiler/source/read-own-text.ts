import { readFileSync } from 'node:fs';
import { describeFileError } from '#shared/util';
import { UsageError } from '../usage-error.ts';

/**
 * The text of a file that belongs to the person who runs a command; empty when there is no such file.
 * @throws UsageError with the reason, for a file that cannot be read
 */
export function readOwnText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new UsageError(`cannot read ${file}: ${describeFileError(error)}`);
  }
}
