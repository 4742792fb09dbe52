import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './support/gateway-spec.ts';
import { findWebUrlProblem } from './support/url-problem.ts';

/**
 * The optimizer needs exactly one complete source of embeddings, or none, for keyword search.
 *
 * @holds The rest of config | `optimizer.embeddingService` | the reference takes precedence; required by `openai`, with a model; a hint if no
 *   embedding service is set | LNT1008, LNT1010, LNT3020
 * @holds The rest of config | `optimizer.embeddingService` | an http or https URL without credentials | LNT6011 | `unservable/`
 */
export function optimizerEmbeddings(resource: Resource): Diagnostic[] {
  const spec = gatewaySpec(resource);
  const optimizer = spec?.config?.optimizer;
  if (spec === undefined || optimizer === undefined) return [];
  const path = ['spec', 'config', 'optimizer'];
  const hasService = (optimizer.embeddingService ?? '') !== '';
  const hasServer = spec.embeddingServerRef !== undefined;
  const found: Diagnostic[] = [];
  const problem = hasService ? findWebUrlProblem(optimizer.embeddingService ?? '') : undefined;
  if (problem !== undefined) {
    const { message, fix = 'write a URL such as "http://embeddings.example.com:8080"' } = problem;
    const at = [...path, 'embeddingService'];
    found.push(diagnose(resource.document, 'LNT6011', at, `embeddingService ${message}`, { fix }));
  }
  if (hasService && hasServer) {
    const message = 'embeddingService has no effect: spec.embeddingServerRef takes precedence';
    found.push(diagnose(resource.document, 'LNT1008', [...path, 'embeddingService'], message, { at: 'key' }));
  }
  if (optimizer.embeddingProvider === 'openai') {
    if (!hasService && !hasServer) {
      const message = 'embeddingProvider openai needs embeddingService';
      found.push(diagnose(resource.document, 'LNT1010', [...path, 'embeddingService'], message));
    }
    if ((optimizer.embeddingModel ?? '') === '') {
      const message = 'embeddingProvider openai needs embeddingModel';
      found.push(diagnose(resource.document, 'LNT1010', [...path, 'embeddingModel'], message, { severity: 'warning' }));
    }
  } else if (!hasService && !hasServer) {
    const message = 'without embeddingServerRef or embeddingService tools are found by keywords alone';
    found.push(diagnose(resource.document, 'LNT3020', path, message, { at: 'key' }));
  }
  return found;
}
