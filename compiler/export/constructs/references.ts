import { isObject } from '#schemas';
import { type CallCode, call, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import { NotRepresentable } from './not-representable.ts';

/** A reference to a key of a Secret as `Secret.key(…)`. @throws NotRepresentable */
export function emitSecretKey(reference: unknown): CallCode {
  const { name, key, ...rest } = isObject(reference) ? reference : {};
  if (typeof name !== 'string' || typeof key !== 'string' || Object.keys(rest).length > 0 || name === '' || key === '')
    throw new NotRepresentable('a reference to a Secret does not consist of a `name` and a `key`.');
  return call('Secret.key', plain(formatStringLiteral(name)), plain(formatStringLiteral(key)));
}

/** Maximum length of the name of a ConfigMap, which becomes part of a path and of the name of a volume. */
const MAX_CA_NAME = 48;

/** A reference to certificate authorities as `CaBundle.configMap(…)`. @throws NotRepresentable */
export function emitCaBundle(reference: unknown): CallCode {
  const { configMapRef, ...others } = isObject(reference) ? reference : {};
  const { name, key, ...rest } = isObject(configMapRef) ? configMapRef : {};
  const isPlain = Object.keys({ ...others, ...rest }).length === 0;
  if (
    !isPlain ||
    typeof name !== 'string' ||
    typeof key !== 'string' ||
    name === '' ||
    key === '' ||
    name.length > MAX_CA_NAME
  )
    throw new NotRepresentable(
      `a CA bundle is not the \`name\` and \`key\` of a ConfigMap, or the name has more than ${MAX_CA_NAME} characters.`,
    );
  const texts = key === 'ca.crt' ? [name] : [name, key];
  return call('CaBundle.configMap', ...texts.map(text => plain(formatStringLiteral(text))));
}
