import { isMapping } from '../../source/is-mapping.ts';
import { object } from '../typescript/code.ts';
import { construct, Fields, secretKey, Unsayable, type Writing } from './construct.ts';

const SAID = ['issuer', 'jwksUrl', 'jwksAuthTokenPath', 'jwksAllowPrivateIP', 'insecureAllowHTTP'];
const INTROSPECTION = ['introspectionUrl', 'clientId', 'clientSecretRef'];

/** `Oidc.inline(…)`. */
export function oidc(writing: Writing) {
  const fields = new Fields(writing);
  const naming = fields.naming();
  const type = fields.take('type');
  const inline = fields.take('inline');
  if (type !== 'inline' || !isMapping(inline) || fields.rest().length > 0)
    throw new Unsayable('`Oidc` has no word for this type of issuer, or for a part of it.');
  const given = Object.fromEntries(Object.entries(inline).filter(([, value]) => value !== null));
  const strange = Object.keys(given).find(field => ![...SAID, ...INTROSPECTION].includes(field));
  if (strange !== undefined) throw new Unsayable(`\`Oidc\` has no prop for \`${strange}\`.`);
  const { issuer, jwksUrl, insecureAllowHTTP, introspectionUrl, clientId, clientSecretRef } = given;
  for (const url of [issuer, jwksUrl, introspectionUrl]) {
    const isHttps = typeof url === 'string' && url.startsWith('https://');
    const isHttp = typeof url === 'string' && url.startsWith('http://') && insecureAllowHTTP === true;
    if (url !== undefined && !isHttps && !isHttp) throw new Unsayable('`Oidc` takes no such URL.');
  }
  if (given.jwksAuthTokenPath !== undefined && !`${given.jwksAuthTokenPath}`.startsWith('/'))
    throw new Unsayable('`jwksAuthTokenPath` depends on the folder.');
  if ((clientId === undefined) !== (clientSecretRef === undefined) || (clientId !== undefined && !introspectionUrl))
    throw new Unsayable('it names itself to the issuer by half.');
  const at = (field: string) => ['spec', 'inline', field];
  const said = Object.entries(given).filter(([field]) => SAID.includes(field));
  const { writer } = fields;
  const introspection =
    introspectionUrl === undefined
      ? undefined
      : object({
          url: writer.value(introspectionUrl, at('introspectionUrl')),
          client:
            clientId === undefined
              ? undefined
              : object({ id: writer.value(clientId, at('clientId')), secret: secretKey(clientSecretRef) }),
        });
  return {
    code: construct('Oidc.inline', writing, [
      ...naming,
      ...writer.members(Object.fromEntries(said), ['spec', 'inline']),
      ...fields.member('introspection', introspection, ...at('introspectionUrl')),
    ]),
  };
}
