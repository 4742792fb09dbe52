import { isCarrierHeader } from '#schemas';
import { isMapping } from '../../source/is-mapping.ts';
import { type Member, object } from '../typescript/code.ts';
import { construct, Fields, secretKey, Unsayable, type Writing } from './construct.ts';

type Block = Readonly<Record<string, unknown>>;

/** `OutgoingAuth.header(…)` and its like. */
export function outgoingAuth(writing: Writing) {
  const fields = new Fields(writing);
  const naming = fields.naming();
  const type = fields.take('type');
  if (type === 'unauthenticated' && fields.rest().length === 0)
    return { code: construct('OutgoingAuth.unauthenticated', writing, naming) };
  const write = typeof type === 'string' && Object.hasOwn(WRITERS, type) ? WRITERS[type] : undefined;
  const block = write === undefined ? undefined : fields.take(`${type}`);
  if (write === undefined || !isMapping(block) || fields.rest().length > 0)
    throw new Unsayable(`this program has no word for a credential of type \`${type}\`.`);
  const given = Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null));
  return { code: write(writing, fields, naming, given) };
}

const WRITERS: Readonly<
  Record<
    string,
    (writing: Writing, fields: Fields, naming: readonly Member[], block: Block) => ReturnType<typeof construct>
  >
> = {
  headerInjection(writing, fields, naming, block) {
    const { headerName, valueSecretRef } = only(block, ['headerName', 'valueSecretRef']);
    if (typeof headerName !== 'string' || !isCarrierHeader(headerName))
      throw new Unsayable('`OutgoingAuth.header` takes no such header.');
    const at = (field: string) => ['spec', 'headerInjection', field];
    return construct('OutgoingAuth.header', writing, [
      ...naming,
      ...fields.member('header', fields.writer.value(headerName, at('headerName')), ...at('headerName')),
      ...fields.member('value', secretKey(valueSecretRef), ...at('valueSecretRef')),
    ]);
  },
  tokenExchange(writing, fields, naming, block) {
    const known = [
      'tokenUrl',
      'audience',
      'clientId',
      'clientSecretRef',
      'scopes',
      'subjectTokenType',
      'subjectProviderName',
    ];
    const { tokenUrl, audience, clientId, clientSecretRef, scopes, subjectTokenType, subjectProviderName } = only(
      block,
      known,
    );
    if (
      !isSafeUrl(tokenUrl) ||
      typeof audience !== 'string' ||
      (clientId === undefined) !== (clientSecretRef === undefined)
    )
      throw new Unsayable(
        '`OutgoingAuth.tokenExchange` asks for a safe URL, an audience, and a client with its secret.',
      );
    const member = (key: string, value: unknown, field: string) => {
      const at = ['spec', 'tokenExchange', field];
      return value === undefined ? [] : fields.member(key, fields.writer.value(value, at), ...at);
    };
    const client =
      clientId === undefined
        ? undefined
        : object({
            id: fields.writer.value(clientId, ['spec', 'tokenExchange', 'clientId']),
            secret: secretKey(clientSecretRef),
          });
    return construct('OutgoingAuth.tokenExchange', writing, [
      ...naming,
      ...member('tokenUrl', tokenUrl, 'tokenUrl'),
      ...member('audience', audience, 'audience'),
      ...fields.member('client', client, 'spec', 'tokenExchange', 'clientId'),
      ...member('scopes', scopes, 'scopes'),
      ...member('subjectTokenType', subjectTokenType, 'subjectTokenType'),
      ...member('subjectProvider', subjectProviderName, 'subjectProviderName'),
    ]);
  },
  upstreamInject(writing, fields, naming, block) {
    const { providerName } = only(block, ['providerName']);
    const at = ['spec', 'upstreamInject', 'providerName'];
    return construct('OutgoingAuth.upstreamInject', writing, [
      ...naming,
      ...fields.member('provider', fields.writer.value(providerName, at), ...at),
    ]);
  },
};

function only(block: Block, known: readonly string[]): Block {
  const strange = Object.keys(block).find(field => !known.includes(field));
  if (strange !== undefined) throw new Unsayable(`there is no prop for \`${strange}\`.`);
  return block;
}

function isSafeUrl(url: unknown): boolean {
  return typeof url === 'string' && /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])($|[:/]))/.test(url);
}
