import { createPrivateKey, type KeyObject } from 'node:crypto';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { quote } from '../text/describe.ts';
import { findAuthServer } from './support/auth-servers.ts';
import { secretValue } from './support/secret-value.ts';

/** RFC 7518, section 3.3: bits of an RSA key. */
const LEAST_RSA_BITS = 2048;
/** P-256, P-384 and P-521, by OpenSSL's names. */
const CURVES: readonly unknown[] = ['prime256v1', 'secp384r1', 'secp521r1'];

/**
 * Signing keys must be valid, if they are in the sources. Findings describe a key and never contain it.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `signingKeySecretRefs` | at most 5; PEM keys of RSA, P-256,
 *   P-384, P-521 or Ed25519, when the Secret is in the sources | LNT4018
 */
export function unusableSigningKey(resource: Resource, inventory: Inventory): Diagnostic[] {
  const location = findAuthServer(resource);
  return (location?.server.signingKeySecretRefs ?? []).flatMap(({ name, key }, index) => {
    const text = secretValue(inventory, resource.namespace, name, key);
    const problem = text === undefined ? undefined : findProblem(text);
    if (problem === undefined) return [];
    const path = [...(location?.path ?? []), 'signingKeySecretRefs', index];
    const message = `key ${quote(key)} of Secret "${name}" ${problem}`;
    return [diagnose(resource.document, 'LNT4018', path, message)];
  });
}

function findProblem(text: Buffer): string | undefined {
  const key = parsePrivateKey(text);
  if (key === undefined) {
    return text.includes('ENCRYPTED')
      ? 'is encrypted, and there is no passphrase to read it with'
      : 'has no private key in PEM form';
  }
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa':
      if (modulusLength >= LEAST_RSA_BITS) return undefined;
      return `is an RSA key of ${modulusLength} bits, at least ${LEAST_RSA_BITS} are needed`;
    case 'ec':
      return CURVES.includes(namedCurve) ? undefined : 'is on a curve that cannot sign tokens';
    case 'ed25519':
      return undefined;
    default:
      return `is a key of type ${key.asymmetricKeyType}, which cannot sign tokens`;
  }
}

function parsePrivateKey(text: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey({ key: text, format: 'pem' });
  } catch {
    return undefined;
  }
}
