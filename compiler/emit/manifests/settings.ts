import { RUNTIME_IMAGE } from '#schemas';

/** What manifests depend on beside the specs. */
export interface ManifestSettings {
  /** Image of the runtime; by default `RUNTIME_IMAGE`. */
  readonly image?: string | undefined;
  /** False for no NetworkPolicy at all; by default each object's annotation says. */
  readonly networkPolicy?: boolean | undefined;
}

/** With defaults. */
export type ResolvedSettings = { readonly [Name in keyof ManifestSettings]-?: NonNullable<ManifestSettings[Name]> };

export function resolvedSettings({ image, networkPolicy }: ManifestSettings): ResolvedSettings {
  return { image: image ?? RUNTIME_IMAGE, networkPolicy: networkPolicy ?? true };
}
