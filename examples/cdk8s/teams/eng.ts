import { Construct } from 'constructs';
import { Backend, Caller, Group } from 'lintel/cdk8s';
import { catalog } from '../lintel.lock.ts';
import { personalToken, TeamGateway, type TeamProps } from '../standards/team-gateway.ts';

/** Engineers work with issues; contractors only read them. */
export class EngTeam extends Construct {
  constructor(scope: Construct, id: string, { stage, issuer }: TeamProps) {
    super(scope, id);
    const group = new Group(this, 'group', { name: 'eng', description: 'Where code lives' });
    const github = Backend.server(this, 'github', {
      group,
      image: 'ghcr.io/acme/github-mcp:2.3.0',
      transport: 'streamable-http',
      auth: personalToken(this, 'github', stage),
      locked: catalog.github,
    });
    const { search_issues, get_issue, create_issue, add_comment } = github.tools;

    const gateway = new TeamGateway(this, 'eng', { stage, issuer, group });
    gateway.grant(Caller.group('eng')).call(search_issues, get_issue, create_issue, add_comment);
    gateway.grant(Caller.group('contractors')).call(search_issues, get_issue);
  }
}
