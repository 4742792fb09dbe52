/** A client's path from a URL to the page where a person signs in. */
import { redactUrl } from '../analysis/exposure/redact-url.ts';
import { examineChallenge } from './challenge.ts';
import { examineEndpoints } from './endpoints.ts';
import { HttpClient } from './http.ts';
import { examineIssuerMetadata } from './issuer-metadata.ts';
import { examinePkce } from './pkce.ts';
import { examineRegistration, type RegistrationOptions } from './registration.ts';
import { type AuthReport, buildReport, HOPS, type Hop, skipHop } from './report.ts';
import { examineResourceMetadata } from './resource-metadata.ts';

export interface ExamineOptions extends RegistrationOptions {
  /** Timeout of each answer; milliseconds. */
  readonly timeoutMs: number;
}

/** Examines one hop after the other, as far as the results allow. Sends nothing to forbidden addresses that a server names. */
export async function examineAuth(url: URL, options: ExamineOptions): Promise<AuthReport> {
  const http = new HttpClient({ timeoutMs: options.timeoutMs, named: url });
  const hops: Hop[] = [];
  const report = () => {
    const rest = HOPS.slice(hops.length).map(hop => skipHop(hop, 'not reached'));
    return buildReport(redactUrl(url.href), [...hops, ...rest]);
  };

  const challenge = await examineChallenge(url, http);
  hops.push(challenge.hop);
  if (challenge.value === undefined) return report();

  const resource = await examineResourceMetadata(url, challenge.value, http);
  hops.push(resource.hop);
  if (resource.value === undefined) return report();

  const issuer = await examineIssuerMetadata(resource.value, http);
  hops.push(issuer.hop);
  if (issuer.value === undefined) return report();

  hops.push(await examineEndpoints(issuer.value, http));
  const registration = await examineRegistration(issuer.value, http, options);
  hops.push(registration.hop);
  const { resource: named, scopes } = resource.value;
  const asked = { resource: named, scopes, scope: challenge.value.scope };
  hops.push(await examinePkce(issuer.value, http, registration.value, asked));
  await registration.value?.end();
  return report();
}
