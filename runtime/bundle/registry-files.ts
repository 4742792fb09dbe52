/** Checks the files that the bundle of a registry server requires. */
import type { FileRequirement } from '#schemas';
import { readSecret, type SecretError } from '../auth/secrets.ts';
import { AuthorityFile, type TrustError } from '../http/authority-file.ts';

const SECRETS: Readonly<Record<Exclude<FileRequirement['use'], 'ca-certificates'>, string>> = {
  'client-secret': 'client secret of an identity provider',
  password: 'password for a source',
  token: 'token for an identity provider or a source',
};

/** Missing files, one sentence each. */
export async function findMissingFiles(files: readonly FileRequirement[]): Promise<readonly string[]> {
  return (await Promise.all(files.map(listProblems))).flat();
}

async function listProblems({ path, use }: FileRequirement): Promise<string[]> {
  try {
    if (use === 'ca-certificates') await new AuthorityFile(path).read();
    else readSecret({ env: null, file: path }, SECRETS[use]);
    return [];
  } catch (error) {
    return [(error as SecretError | TrustError).message];
  }
}
