/** The variables and Secrets for a new gateway's secrets. */
import { ENV_PREFIX, type SecretKeyRef } from '#schemas';
import { lowerReferredSecret } from '../lower/outgoing/secrets.ts';
import { isOnThisMachine } from './on-this-machine.ts';
import { isProgram, type StarterProgram, type StarterRemote, type StarterServer } from './starter-server.ts';

/** An environment variable with the value of one header, or of one program variable. */
export interface SecretVariable {
  readonly name: string;
  readonly server: string;
  readonly part: { readonly kind: 'header' | 'variable'; readonly name: string };
  /** The Secret in a cluster; undefined for a server on this machine, which no cluster reaches. */
  readonly secret: SecretKeyRef | undefined;
}

/** In the order of the headers or program variables. */
export function listSecretVariables(server: StarterServer): readonly SecretVariable[] {
  return isProgram(server) ? listProgramVariables(server) : listRemoteVariables(server);
}

function listProgramVariables({ name: server, secretVariables: targets }: StarterProgram): readonly SecretVariable[] {
  return targets.map(target => {
    const secret = nameProgramSecret(server, target);
    const { env } = lowerReferredSecret(secret, 'SECRET_ENV', target, server);
    if (env === null) throw new Error('a variable of a program has no variable here');
    // No cluster runs a stdio program.
    return { name: env, server, part: { kind: 'variable', name: target }, secret: undefined };
  });
}

function listRemoteVariables(server: StarterRemote): readonly SecretVariable[] {
  return server.secretHeaders.map(header => {
    const names = { server: server.name, part: { kind: 'header', name: header } as const };
    if (isOnThisMachine(server)) return { ...names, name: nameLocalVariable(server.name, header), secret: undefined };
    const secret = nameSecret(server.name, header);
    const { env } = lowerReferredSecret(secret, 'SECRET_HEADER_FORWARD', header, server.name);
    if (env === null) throw new Error('a header of an entry has no variable');
    return { ...names, name: env, secret };
  });
}

export function nameSecret(server: string, header: string): SecretKeyRef {
  return { name: `${server}-headers`, key: header.toLowerCase().replace(/[^-._a-z0-9]/g, '-') };
}

/** The Secret that a spec names; on this machine a variable replaces it. */
export function nameProgramSecret(server: string, variable: string): SecretKeyRef {
  return { name: `${server}-env`, key: variable };
}

export function nameLocalVariable(server: string, header: string): string {
  return `${ENV_PREFIX}HEADER_${`${header}_${server}`.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}
