import type { RegistryDocument } from '../../analysis/registry/document.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/** Judges a configuration of a registry server beyond its schema. Paths start at the root of the configuration. */
export type RegistryRule = (registry: RegistryDocument) => Diagnostic[];
