import type { HeaderInjectionPlan } from '#schemas';
import { isCarrierHeader, isHeaderName, isHeaderValue } from '#shared/plan';
import type { Secret } from '../secrets.ts';
import { type Credential, CredentialError, type OutgoingAuth } from './credential.ts';
import type { OpenSecret } from './open-secret.ts';

/** One header with a secret value, the same for every caller. If the secret is rotated, the next request has the new value. */
class InjectedHeader implements OutgoingAuth, Credential {
  readonly isPerCaller = false;
  readonly own: Credential = this;
  readonly #header: string;
  readonly #secret: Secret;
  readonly #before: string;
  #sent: readonly string[] = [];

  constructor(header: string, secret: Secret, before: string) {
    this.#header = header;
    this.#secret = secret;
    this.#before = before;
  }

  getCredential(): Credential {
    return this;
  }

  getHeaders(): readonly string[] {
    const value = this.#value;
    if (value !== this.#sent[1]) this.#sent = [this.#header, checkHeader(this.#header, value)];
    return this.#sent;
  }

  rejected(headers: readonly string[]): boolean {
    return this.#value !== headers[1];
  }

  async close(): Promise<void> {}

  get #value(): string {
    return `${this.#before}${this.#secret.value}`;
  }
}

/** @throws CredentialError for an invalid or reserved name, or an invalid value */
export function createHeaderInjection(
  { header, scheme, value }: HeaderInjectionPlan,
  openSecret: OpenSecret,
): OutgoingAuth {
  if (!isHeaderName(header)) {
    throw new CredentialError('gateway', `header_injection: ${JSON.stringify(header)} is not the name of a header`);
  }
  if (!isCarrierHeader(header)) {
    throw new CredentialError('gateway', `header_injection: the header ${header} cannot carry a credential`);
  }
  const injected = new InjectedHeader(
    header,
    openSecret(value, `value of header ${header}`),
    scheme === undefined ? '' : `${scheme} `,
  );
  injected.getHeaders();
  return injected;
}

function checkHeader(header: string, value: string): string {
  if (isHeaderValue(value)) return value;
  const problem = 'contains a line break or another control character';
  throw new CredentialError('gateway', `header_injection: the value of ${header} ${problem}`);
}
