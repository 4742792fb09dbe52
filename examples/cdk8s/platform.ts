import { App, Chart } from 'cdk8s';
import { Oidc } from 'lintel/cdk8s';
import type { Stage } from './standards/stage.ts';
import { DataTeam } from './teams/data.ts';
import { EngTeam } from './teams/eng.ts';
import { SupportTeam } from './teams/support.ts';

/** All objects of one stage, in the namespace `mcp` of the stage's cluster. */
export class Platform extends Chart {
  constructor(app: App, stage: Stage) {
    super(app, 'platform', { namespace: 'mcp' });
    const issuer = Oidc.inline(this, 'acme', { issuer: stage.issuer });
    new EngTeam(this, 'eng-team', { stage, issuer });
    new SupportTeam(this, 'support-team', { stage, issuer });
    new DataTeam(this, 'data-team', { stage, issuer });
  }
}

export function platform(stage: Stage): App {
  const app = new App();
  new Platform(app, stage);
  return app;
}
