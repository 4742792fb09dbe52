/** Replaces plain-text secrets in an object by references; the values are written nowhere. */
import { isObject } from '#schemas';
import { isSecretHeader } from '../../source/secret-name.ts';
import { isHarmless } from '../../starter/harmless.ts';
import { isPlainPath } from '../argument.ts';
import type { Migration, MutableFields } from './migrate-object.ts';

export function moveSecrets(migration: Migration): void {
  moveVariables(migration);
  moveHeaders(migration);
}

function isSecret(name: string, value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || isHarmless(value) || isPlainPath(value)) return false;
  return isSecretHeader(name.replaceAll('_', '-'));
}

/** `env` of the container. */
function moveVariables({ kind, metadata, spec, secrets, changes }: Migration): void {
  if (kind !== 'MCPServer' || !Array.isArray(spec.env)) return;
  const moved = spec.env.filter(item => isObject(item) && isSecret(String(item.name), item.value));
  if (moved.length === 0) return;
  const secret = `${metadata.name}-env`;
  spec.env = spec.env.filter(item => !moved.includes(item));
  const before = Array.isArray(spec.secrets) ? spec.secrets : [];
  spec.secrets = [...before, ...moved.map(({ name }) => ({ name: secret, key: name, targetEnvName: name }))];
  for (const { name } of moved) {
    secrets.push({ secret, key: String(name), place: `spec.env ${name}` });
    changes.push(`spec.env ${name} → spec.secrets, Secret ${secret}`);
  }
}

/** `headerForward` of remote servers. */
function moveHeaders({ metadata, spec, secrets, changes }: Migration): void {
  const forward = isObject(spec.headerForward) ? (spec.headerForward as MutableFields) : undefined;
  const plain = isObject(forward?.addPlaintextHeaders) ? (forward.addPlaintextHeaders as MutableFields) : {};
  const names = Object.keys(plain).filter(name => isSecret(name, plain[name]));
  if (forward === undefined || names.length === 0) return;
  const secret = `${metadata.name}-headers`;
  const before = Array.isArray(forward.addHeadersFromSecret) ? forward.addHeadersFromSecret : [];
  forward.addHeadersFromSecret = [
    ...before,
    ...names.map(name => ({ headerName: name, valueSecretRef: { name: secret, key: name.toLowerCase() } })),
  ];
  for (const name of names) {
    delete plain[name];
    secrets.push({ secret, key: name.toLowerCase(), place: `spec.headerForward.addPlaintextHeaders ${name}` });
    changes.push(`spec.headerForward.addPlaintextHeaders ${name} → addHeadersFromSecret, Secret ${secret}`);
  }
  if (Object.keys(plain).length === 0) delete forward.addPlaintextHeaders;
}
