/** Where the secrets of a new gateway come from. */
import { ENV_PREFIX, type SecretKeyRef } from '#schemas';
import { referredSecret } from '../lower/outgoing/secrets.ts';
import { isOnThisMachine } from './on-this-machine.ts';
import type { StarterServer } from './starter-server.ts';

/** A variable that holds the whole value of one header. */
export interface SecretVariable {
  readonly name: string;
  readonly server: string;
  readonly header: string;
  /** In a cluster; undefined for a server on this machine, which no cluster reaches. */
  readonly secret: SecretKeyRef | undefined;
}

/** In the order of the headers. */
export function secretVariables(server: StarterServer): readonly SecretVariable[] {
  return server.secretHeaders.map(header => {
    const names = { server: server.name, header };
    if (isOnThisMachine(server)) return { ...names, name: localVariable(server.name, header), secret: undefined };
    const secret = secretOf(server.name, header);
    const { env } = referredSecret(secret, 'SECRET_HEADER_FORWARD', header, server.name);
    if (env === null) throw new Error('a header of an entry has no variable');
    return { ...names, name: env, secret };
  });
}

export function secretOf(server: string, header: string): SecretKeyRef {
  return { name: `${server}-headers`, key: header.toLowerCase().replace(/[^-._a-z0-9]/g, '-') };
}

export function localVariable(server: string, header: string): string {
  return `${ENV_PREFIX}HEADER_${`${header}_${server}`.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}
