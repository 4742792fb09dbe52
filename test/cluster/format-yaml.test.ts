/** Manifests and specs that the compiler writes are read by a real kustomize, whose YAML is that of Go. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatYaml, type YamlStyle } from '../../compiler/source/format-yaml.ts';
import { isFragile } from '../../compiler/source/fragile-text.ts';
import { ASSETS } from '../support/kube-api/real.ts';
import { ODD_TEXTS } from '../support/odd-texts.ts';
import { temporaryFolder } from '../support/process.ts';

const KUBECTL = join(ASSETS ?? '', 'kubectl');
const hasKubectl = existsSync(KUBECTL);

describe.skipIf(!hasKubectl)(`kustomize${hasKubectl ? '' : ' [needs kubectl next to kube-apiserver]'}`, () => {
  test.each<YamlStyle>(['spec', 'manifest'])(
    'kustomize reads unusual texts unchanged from YAML that the compiler writes in the style of a %s',
    async style => {
      // It reads the others, too, and then refuses its own output: bundles with such characters are compressed.
      const texts = ODD_TEXTS.filter(text => !isFragile(text));
      const data = Object.fromEntries(texts.map((text, at) => [`text-${at}`, text]));
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'texts' }, data };
      await using folder = await temporaryFolder({
        'texts.yaml': formatYaml(object, style),
        'kustomization.yaml': formatYaml({ resources: ['texts.yaml'] }, style),
      });
      const { stdout } = await promisify(execFile)(KUBECTL, ['kustomize', folder.path], {
        env: { PATH: process.env.PATH, HOME: folder.path },
      });
      expect(parse(stdout, { version: '1.1' })).toEqual(object);
    },
  );
});
