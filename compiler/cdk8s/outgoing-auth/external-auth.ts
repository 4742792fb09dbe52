import type { Construct } from 'constructs';
import { type ArgumentPaths, configObject } from '../config-object.ts';
import type { Call } from '../origins.ts';
import type { NamingProps } from '../resource.ts';

/** One way to authenticate to a server, by the name of its MCPExternalAuthConfig. */
export interface AuthReference {
  readonly kind: 'MCPExternalAuthConfig';
  /** Name of the MCPExternalAuthConfig. */
  readonly name: string;
}

/** @param block settings of the type, in the field of the same name; omitted for a type without settings */
export function externalAuth(
  scope: Construct & AuthReference,
  naming: NamingProps,
  type: string,
  block: object | undefined,
  call: Call,
  argumentPaths: ArgumentPaths = {},
): void {
  const inBlock = Object.entries(argumentPaths).map(([field, path]) => [`/spec/${type}/${field}`, path] as const);
  configObject(scope, 'MCPExternalAuthConfig', naming, { type, [type]: block }, call, {
    [`/spec/${type}`]: [2],
    ...Object.fromEntries(inBlock),
  });
}
