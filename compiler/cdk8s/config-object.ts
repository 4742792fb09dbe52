import type { Construct } from 'constructs';
import { type ArgumentPath, type Call, noteOrigin } from './origins.ts';
import { ConstructResource, type NamingProps } from './resource.ts';
import { toManifestValue } from './values/manifest-value.ts';

/** Pointers in a manifest, each with the argument of a call that its value comes from. */
export type ArgumentPaths = { readonly [pointer: string]: ArgumentPath };

/** Declares a configuration that other objects refer to. Its spec is known when this function is called, so nothing is computed at synthesis. */
export function configObject(
  scope: Construct & { readonly name: string },
  kind: string,
  naming: NamingProps,
  spec: object,
  call: Call,
  argumentPaths: ArgumentPaths,
): ConstructResource {
  const text = toManifestValue(spec) as object;
  const resource = new ConstructResource(scope, kind, scope.name, naming, () => text);
  noteOrigin(resource, '', call.at(2));
  noteOrigin(resource, '/metadata/name', naming.name === undefined ? call.at(1) : call.at(2, 'name'));
  for (const [pointer, path] of Object.entries(argumentPaths)) noteOrigin(resource, pointer, call.at(...path));
  return resource;
}
