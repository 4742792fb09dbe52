import { type GatewayBundle, type TrustPlan, validateAuthorities } from '#schemas';
import { AuthorityFile, type TrustError } from '../http/authority-file.ts';
import { withAdditionalCa } from '../http/tls-trust.ts';

/** The problems of a gateway's certificate authorities: one sentence for each unusable PEM text or file. */
export async function findAuthorityProblems({ backends, incomingAuth }: GatewayBundle): Promise<readonly string[]> {
  const providers = incomingAuth.type === 'oidc' ? incomingAuth.providers : [];
  const problems = await Promise.all([
    ...backends.map(plan => listProblems(withAdditionalCa(plan), `backend "${plan.name}"`)),
    ...providers.map(({ name, trust }) => listProblems(trust, `provider "${name}"`)),
  ]);
  // Several providers or backends may trust the same file.
  return [...new Set(problems.flat())];
}

async function listProblems(trust: TrustPlan, owner: string): Promise<string[]> {
  if (trust.type === 'default') return [];
  if (trust.type === 'pem') {
    const { problem } = validateAuthorities(trust.pem, new Date());
    return problem === undefined ? [] : [`the certificate authorities of ${owner} cannot be used: the text ${problem}`];
  }
  try {
    await new AuthorityFile(trust.path).read();
    return [];
  } catch (error) {
    return [(error as TrustError).message];
  }
}
