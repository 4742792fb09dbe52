import { type HeaderInjectionPlan, isHeaderName, isHeaderValue } from '#schemas';
import { type Credential, CredentialError, type OutgoingAuth } from './credential.ts';
import type { SecretReader } from './secret-reader.ts';

/** One header with a secret value, the same for every caller. A rotated secret goes out with the next request. */
class InjectedHeader implements OutgoingAuth, Credential {
  readonly isPerCaller = false;
  readonly own: Credential = this;
  readonly #plan: HeaderInjectionPlan;
  readonly #secrets: SecretReader;
  #sent: readonly string[] = [];

  constructor(plan: HeaderInjectionPlan, secrets: SecretReader) {
    this.#plan = plan;
    this.#secrets = secrets;
  }

  credentialFor(): Credential {
    return this;
  }

  headersFor(): readonly string[] {
    const value = this.#secrets.read(this.#plan.value);
    if (value !== this.#sent[1]) this.#sent = [this.#plan.header, checked(this.#plan.header, value)];
    return this.#sent;
  }

  rejected(headers: readonly string[]): boolean {
    return this.#secrets.read(this.#plan.value) !== headers[1];
  }

  async close(): Promise<void> {}
}

/** @throws CredentialError for a name that no header has, or a value that none can have */
export function createHeaderInjection(plan: HeaderInjectionPlan, secrets: SecretReader): OutgoingAuth {
  if (!isHeaderName(plan.header)) {
    throw new CredentialError(
      'gateway',
      `header_injection: ${JSON.stringify(plan.header)} is not the name of a header`,
    );
  }
  const injected = new InjectedHeader(plan, secrets);
  injected.headersFor();
  return injected;
}

function checked(header: string, value: string): string {
  if (value === '') throw new CredentialError('gateway', `header_injection: the value of ${header} is empty`);
  if (isHeaderValue(value)) return value;
  const problem = 'contains a line break or another control character';
  throw new CredentialError('gateway', `header_injection: the value of ${header} ${problem}`);
}
