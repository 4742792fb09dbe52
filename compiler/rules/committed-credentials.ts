import { getMember, isObject } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { findKnownCredential } from '../source/known-credentials.ts';
import type { Path } from '../source/source-document.ts';
import { quote } from '../text/describe.ts';

/** The field in which a Secret or ConfigMap has its values, and their encoding. */
const FIELDS: { readonly [kind: string]: { readonly [field: string]: 'text' | 'base64' } } = {
  Secret: { stringData: 'text', data: 'base64' },
  ConfigMap: { data: 'text' },
};

const ANNOTATIONS = ['metadata', 'annotations'];

/**
 * A Secret in a repository is as public as the repository, whether in Base64 or not. Only credentials of known services are reported: other
 * values cannot be distinguished from placeholders or encrypted text.
 *
 * @holds outgoingAuth and config.outgoingAuth | any text of a spec, Secrets and ConfigMaps next to it, the configuration of a registry server
 *   | no credential in the form of a known service | LNT6024
 * @apart it reads any text, also of Secrets and ConfigMaps
 */
export function committedCredentials(resource: Resource): Diagnostic[] {
  const { kind, spec } = resource;
  const values = Object.entries(FIELDS[kind] ?? {}).flatMap(([field, form]) =>
    listEntriesAt(spec, [field]).map(([key, text]) => ({
      path: [field, key],
      text: form === 'text' ? text : Buffer.from(text, 'base64').toString('utf8'),
      isEncoded: form === 'base64',
    })),
  );
  // `kubectl apply` stores a copy of the whole object in one of the annotations.
  const annotations = listEntriesAt(spec, ANNOTATIONS).map(([key, text]) => ({
    path: [...ANNOTATIONS, key],
    text,
    isEncoded: false,
  }));
  return [...values, ...annotations].flatMap(({ path, text, isEncoded }) => {
    const credential = findKnownCredential(text);
    if (credential === undefined) return [];
    const how = isEncoded ? 'in Base64, which hides nothing' : 'in the clear';
    const message = `key ${quote(String(path.at(-1)))} of the ${kind} holds ${credential} ${how}`;
    const instead =
      kind === 'Secret'
        ? 'create the Secret with the new credential in the cluster, or commit it encrypted'
        : 'keep the new credential in a Secret that is not in the repository';
    const fix = `revoke it, because the history of a repository keeps it, and ${instead}`;
    return [diagnose(resource.document, 'LNT6024', path, message, { at: 'key', fix })];
  });
}

function listEntriesAt(value: unknown, path: Path): readonly (readonly [key: string, text: string])[] {
  const holder = path.reduce<unknown>((element, step) => getMember(element, String(step)), value);
  if (!isObject(holder)) return [];
  return Object.entries(holder).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text] as const] : []));
}
