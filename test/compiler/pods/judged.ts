/** A pod template as Lintel checks it, and as a Deployment that an API server validates. */
import { parse } from 'yaml';
import { compile, type Diagnostic, generateManifests, type Manifest, readTexts, SourceText } from '#compiler';
import { builtFrom, ENTRY, GROUP, gatewayText, only } from '../manifests/build.ts';
import { mutations } from './mutations.ts';
import type { Template } from './rich-template.ts';
import { TEMPLATES } from './templates.ts';

/** Hand-written and generated ones, by title. */
export function allTemplates(): ReadonlyMap<string, Template> {
  return new Map([...TEMPLATES, ...mutations()]);
}

const GATEWAY = {
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'VirtualMCPServer',
  metadata: { name: 'eng', namespace: 'mcp' },
};

const BESIDE = [GROUP, ENTRY].map(text => parse(text));

/** Lintel's errors for a gateway with the template. */
export function errorsFor(podTemplateSpec: Template): readonly Diagnostic[] {
  const spec = { groupRef: { name: 'tools' }, incomingAuth: { type: 'anonymous' }, podTemplateSpec };
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...BESIDE, { ...GATEWAY, spec }] });
  const sources = readTexts([new SourceText('spec.json', text)]);
  const { findings } = compile(sources, {
    purpose: 'build',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
  return findings.diagnostics.filter(({ severity }) => severity === 'error');
}

const { bundle } = builtFrom(gatewayText());

/** The Deployment that would be applied if Lintel accepted the template. */
export function deploymentWith(podTemplateSpec: Template): Manifest {
  if (bundle.kind !== 'gateway') throw new Error('not a gateway');
  const deployment = { ...bundle.deployment, podTemplateSpec };
  return only(generateManifests({ bundle: { ...bundle, deployment } }), 'Deployment');
}
