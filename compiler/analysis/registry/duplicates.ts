import { getMember } from '#schemas';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { ResourceDocument } from '../../source/classify.ts';
import { createRelatedLocation } from '../../source/locate-finding.ts';
import { REGISTRY_CONFIG_KIND } from '../../source/registry-config.ts';

/**
 * Reports registry servers whose bundles would have the same name. Another check compares objects; this one compares configuration files,
 * whose names are not in `metadata`.
 */
export function checkDuplicateRegistries(documents: readonly ResourceDocument[]): Diagnostic[] {
  const first = new Map<string, ResourceDocument>();
  return documents.flatMap(document => {
    const { kind, namespace, name, doc } = document;
    const key = `${namespace}/${name}`;
    const previous = first.get(key);
    if (previous === undefined) first.set(key, document);
    if (previous === undefined || kind !== REGISTRY_CONFIG_KIND) return [];
    const path = getMember(doc.value, 'registryName') === undefined ? [] : ['registryName'];
    // If the document has no `registryName`, the related location is its first line.
    const related = [createRelatedLocation('the first one', previous.doc, ['registryName'])];
    const message = `two registry servers are called "${name}"`;
    const found = diagnose(document, 'LNT2006', path, message, {
      fix: 'give one of them another registryName',
      related,
    });
    return [{ ...found, range: doc.locate(['registryName'], 'value') }];
  });
}
