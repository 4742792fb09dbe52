import type { StructuralSchema } from './generate/structural-schema.ts';
import configs from './generated/configs.json' with { type: 'json' };

/** What was generated of each configuration file, by name: no TypeBox, which is slow to load. */
export const CONFIGS_FILE: { readonly RegistryConfig: StructuralSchema } = configs as unknown as {
  readonly RegistryConfig: StructuralSchema;
};
