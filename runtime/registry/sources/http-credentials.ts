/** Builds the credentials for sources over HTTP from secret files. */
import { findBasicUserProblem, type HttpCredentialsPlan } from '#schemas';
import { isHeaderValue } from '#shared/plan';
import { readSecret, SecretError } from '../../auth/secrets.ts';
import { ReadingError } from './reading.ts';

/**
 * The headers that authenticate a reading. The file is read each time, because secrets rotate.
 * @param location the source, for messages
 * @throws ReadingError
 */
export function buildCredentialHeaders(
  credentials: HttpCredentialsPlan | undefined,
  location: string,
): Readonly<Record<string, string>> {
  return credentials === undefined ? {} : { authorization: formatAuthorization(credentials, location) };
}

function formatAuthorization(credentials: HttpCredentialsPlan, location: string): string {
  if (credentials.type === 'bearer') {
    const token = readSecretFile(credentials.tokenFile, 'token', location);
    if (!isHeaderValue(token)) throw new ReadingError(location, 'its token has characters that no header can have');
    return `Bearer ${token}`;
  }
  const { username, passwordFile } = credentials;
  const problem = findBasicUserProblem(username);
  if (problem !== undefined) throw new ReadingError(location, `the user name ${problem}`);
  const password = readSecretFile(passwordFile, `password of user "${username}"`, location);
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function readSecretFile(file: string, use: string, location: string): string {
  try {
    return readSecret({ file, env: null }, use);
  } catch (error) {
    throw error instanceof SecretError ? new ReadingError(location, error.message) : error;
  }
}
