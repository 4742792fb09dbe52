import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { RegistryDocument } from '../../registry/document.ts';

/** Judges a configuration of a registry server beyond its schema. Paths start at the root of the configuration. */
export type RegistryRule = (registry: RegistryDocument) => Diagnostic[];
