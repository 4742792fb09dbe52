import { Type } from 'typebox';
import { type FileDefinition, fields, listMap } from '../kinds/define.ts';
import { auth } from './auth.ts';
import { label } from './define.ts';
import { audit, database, telemetry } from './operations.ts';
import { registry } from './registry.ts';
import { source } from './source.ts';

/** The configuration file of a registry server. Keys are case-sensitive, and an unknown key is an error. */
export const registryConfig: FileDefinition = {
  id: 'registryconfig',
  title: 'RegistryConfig',
  schema: fields(
    'RegistryConfig',
    {
      registryName: Type.Optional(
        Type.String({
          ...label('internal'),
          description: 'Name of the bundle. Default: the name of the file without its extension.',
        }),
      ),
      sources: listMap(source, ['name'], { minItems: 1, description: 'Sources of entries.' }),
      registries: listMap(registry, ['name'], { minItems: 1, description: 'Registries that callers can list.' }),
      auth,
      database: Type.Optional(database),
      telemetry: Type.Optional(telemetry),
      audit: Type.Optional(audit),
    },
    {
      description:
        'The configuration of a registry server: a plain YAML or JSON document with `auth`, `sources` and `registries`, without `apiVersion` and `kind`.',
    },
  ),
};
