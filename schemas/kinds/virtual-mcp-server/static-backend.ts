import { type TSchema, Type } from 'typebox';
import { MOUNT_ROOT } from '../../names.ts';
import { HTTP_URL } from '../blocks.ts';
import { fields, oneOf, record } from '../define.ts';

export const staticBackend: TSchema = fields(
  'StaticBackend',
  {
    name: Type.String({ description: 'Name of the backend; outgoing authentication is looked up by it.' }),
    url: Type.String({ ...HTTP_URL, description: 'Base URL of the MCP server.' }),
    transport: oneOf(['sse', 'streamable-http'], { description: 'Protocol that the server speaks.' }),
    type: Type.Optional(
      oneOf(['', 'entry'], {
        description: '`entry` for a remote server that is contacted directly; empty for a container or proxy.',
      }),
    ),
    caBundlePath: Type.Optional(
      Type.String({
        description: `PEM file with certificate authorities to trust for this backend; only with type \`entry\`. Mounted bundles are at \`${MOUNT_ROOT}/ca-bundles/<name>/ca.crt\`.`,
      }),
    ),
    metadata: Type.Optional(
      record(Type.String(), { description: 'Labels without effect. The gateway sets the key `group` itself.' }),
    ),
  },
  { description: 'One backend.' },
);
