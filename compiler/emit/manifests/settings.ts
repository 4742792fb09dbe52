import { type PrivateDenial, RUNTIME_IMAGE } from '#schemas';

/** What manifests depend on besides the specs. */
export interface ManifestSettings {
  /** Image of the runtime; by default `RUNTIME_IMAGE`. */
  readonly image?: string | undefined;
  /** False for no NetworkPolicy at all; by default each object's annotation says. */
  readonly networkPolicy?: boolean | undefined;
  /** That nothing private is connected to; by default specs decide. */
  readonly denial?: PrivateDenial | undefined;
}

/** With defaults. */
export interface ResolvedSettings {
  readonly image: string;
  readonly networkPolicy: boolean;
  readonly denial: PrivateDenial | undefined;
}

export function resolvedSettings({ image, networkPolicy, denial }: ManifestSettings): ResolvedSettings {
  return { image: image ?? RUNTIME_IMAGE, networkPolicy: networkPolicy ?? true, denial };
}
