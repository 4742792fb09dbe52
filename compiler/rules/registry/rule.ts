import type { RegistryDocument } from '../../analysis/registry/document.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/** A rule about a registry server's configuration beyond its schema. Paths start at the root of the configuration. */
export type RegistryRule = (registry: RegistryDocument) => Diagnostic[];
