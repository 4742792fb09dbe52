/** Replaces plain-text secrets in an object by references; the values are written nowhere. */
import { isObject } from '#schemas';
import { holdsCredential } from '../../source/credential-text.ts';
import { isContainerPath } from '../../source/program-secrets.ts';
import { isSecretHeader } from '../../source/secret-name.ts';
import { listSensitiveValues } from '../../source/sensitive-values.ts';
import type { Path } from '../../source/source-document.ts';
import { isHarmless } from '../../starter/harmless.ts';
import { isPlainPath, isPlainUrl } from '../argument.ts';
import type { Migration, MutableFields } from './migrate-object.ts';

export function moveSecrets(migration: Migration): void {
  moveVariables(migration);
  moveHeaders(migration);
  moveOthers(migration);
}

function isSecret(name: string, value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || isHarmless(value) || isPlainPath(value)) return false;
  if (isSecretHeader(name.replaceAll('_', '-')) || holdsCredential(value)) return true;
  // Kubernetes fills in `$(NAME)`.
  return value.includes('://') && !value.includes('$(') && !isPlainUrl(value, new Set());
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

/** All other values that `lintel check` would report as secrets. Headers are decided above. */
function moveOthers(migration: Migration): void {
  const { kind, spec } = migration;
  for (const { path, role, text } of listSensitiveValues(kind, spec)) {
    const at = path.slice(1);
    if (role === 'argument') moveArgument(migration, at, text);
    else if (role === 'variable' && isContainerPath(path)) moveContainerVariable(migration, at);
    else if (role === 'variable') dropVariable(migration, at);
    else if (role === 'field') dropField(migration, at);
    else if (role === 'text')
      migration.refusal = `${formatPath(at)}: it holds a credential in the clear: keep that in a Secret, and refer to it`;
  }
}

/** An argument becomes `$(NAME)`, which Kubernetes fills in from a variable of the same container. */
function moveArgument(migration: Migration, at: Path, text: string): void {
  const { spec, changes } = migration;
  const index = Number(at.at(-1));
  const list = getAt(spec, at.slice(0, -1)) as string[];
  const [, flag] = /^(--?[\w-]+)=/.exec(text) ?? [];
  const [, before = String(index + 1)] = /^--?([\w-]+)$/.exec(flag ?? list[index - 1] ?? '') ?? [];
  const reference = addReference(migration, `ARG_${before.toUpperCase().replaceAll('-', '_')}`, formatPath(at));
  const { key } = reference;
  const ofContainer = at.length > 2 ? (getAt(spec, at.slice(0, -2)) as MutableFields) : undefined;
  if (ofContainer !== undefined)
    ofContainer.env = [...toList(ofContainer.env), { name: key, valueFrom: { secretKeyRef: reference } }];
  else spec.secrets = [...toList(spec.secrets), { ...reference, targetEnvName: key }];
  list[index] = `${flag === undefined ? '' : `${flag}=`}$(${key})`;
  changes.push(`${formatPath(at)} → $(${key}), Secret ${reference.name}`);
}

function moveContainerVariable(migration: Migration, at: Path): void {
  const variable = getAt(migration.spec, at.slice(0, -1)) as MutableFields;
  const place = `${formatPath(at.slice(0, -2))} ${variable.name}`;
  const reference = addReference(migration, String(variable.name), place);
  delete variable.value;
  variable.valueFrom = { secretKeyRef: reference };
  migration.changes.push(`${place} → valueFrom.secretKeyRef, Secret ${reference.name}`);
}

/** Variables of a proxy have a name and a value, and no reference. */
function dropVariable({ spec, lost }: Migration, at: Path): void {
  const variable = getAt(spec, at.slice(0, -1)) as MutableFields;
  variable.value = '';
  const part = `${formatPath(at.slice(0, -2))} ${variable.name}`;
  lost.push({ part, reason: 'its value is left empty, because this variable cannot refer to a Secret' });
}

function dropField({ spec, lost }: Migration, at: Path): void {
  const holder = getAt(spec, at.slice(0, -1)) as MutableFields;
  delete holder[String(at.at(-1))];
  const reason = 'the secret is not written: keep it in a Secret, and name that in an MCPExternalAuthConfig';
  lost.push({ part: formatPath(at), reason });
}

/** Takes a free key of the object's Secret. */
function addReference({ metadata, secrets }: Migration, wanted: string, place: string) {
  const name = `${metadata.name}-env`;
  const keys = new Set(secrets.filter(({ secret }) => secret === name).map(({ key }) => key));
  let key = wanted;
  for (let number = 2; keys.has(key); number += 1) key = `${wanted}_${number}`;
  secrets.push({ secret: name, key, place });
  return { name, key };
}

function getAt(value: unknown, path: Path): unknown {
  return path.reduce((holder, step) => (holder as Record<string | number, unknown>)[step], value);
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `spec.args[1]`. */
function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => text + (typeof step === 'number' ? `[${step}]` : `.${step}`), 'spec');
}
