import { listCertainEntries } from '../check/doubt.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { findKnownCredential } from '../source/known-credentials.ts';
import { findSecretParameter } from '../source/secret-parameter.ts';
import { listSensitiveValues, type SensitiveValue } from '../source/sensitive-values.ts';
import type { Path } from '../source/source-document.ts';
import { quote } from '../text/describe.ts';
import { diagnoseCredential } from './known-credentials.ts';
import { listStrategies } from './support/outgoing-strategies.ts';
import { diagnoseSecret, formatHolder, suggestReference } from './support/secret-words.ts';

/**
 * Plain-text secrets stay in the repository's history, and in everything that is built from it.
 *
 * @holds outgoingAuth and config.outgoingAuth | secrets | not in plain text if a reference or variable is possible; an error if the bundle
 *   would contain the secret | LNT6001
 * @holds outgoingAuth and config.outgoingAuth | any text of a spec | no URL whose query has a secret by its name | LNT6025
 * @holds Other kinds | MCPServerEntry, `headerForward` | header names, each once; no restricted ones; one line; no secrets in the clear |
 *   LNT6001
 */
export function literalSecrets(resource: Resource): Diagnostic[] {
  return listSensitiveValues(resource.kind, resource.spec, listCertainEntries).flatMap(value => {
    const { role, path, text } = value;
    const credential = findKnownCredential(text);
    // No bundle with a plain-text secret is built, and no configuration changes that.
    if (role === 'field' && isRead(resource, path)) return [report(resource, value, { severity: 'error' })];
    if (credential !== undefined) return role === 'field' ? [diagnoseCredential(resource, value, credential)] : [];
    // A placeholder for a credential in a description is not a secret.
    return role === 'text' && findSecretParameter(text) === undefined ? [] : [report(resource, value)];
  });
}

function report(resource: Resource, value: SensitiveValue, details: { readonly severity?: 'error' } = {}): Diagnostic {
  const holder = formatHolder(resource, value);
  const parameter = findSecretParameter(value.text);
  const location = parameter === undefined ? holder : `the parameter ${quote(parameter)} of ${holder}`;
  const claim = value.role === 'field' ? 'holds' : 'looks like';
  // An unsupported or misplaced field is reported as that, even if its value looks like a secret.
  const code = parameter === undefined || details.severity === 'error' ? 'LNT6001' : 'LNT6025';
  const fix = suggestReference(resource, value, 'the value');
  return diagnoseSecret(resource, code, value, `${location} ${claim} a secret in the clear`, {
    ...details,
    ...(fix !== undefined && { fix }),
  });
}

/** Whether the bundle would have to contain the value, which it never does. */
function isRead(resource: Resource, path: Path): boolean {
  return listStrategies(resource).some(strategy => strategy.path.every((step, index) => step === path[index]));
}
