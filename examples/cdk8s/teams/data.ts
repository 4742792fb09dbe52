import { Construct } from 'constructs';
import { Backend, Caller, Group, Tools } from 'lintel/cdk8s';
import { catalog } from '../lintel.lock.ts';
import { personalToken, TeamGateway, type TeamProps } from '../standards/team-gateway.ts';

/** Analysts read the warehouse: all read-only tools, in this and later versions of the server. */
export class DataTeam extends Construct {
  constructor(scope: Construct, id: string, { stage, issuer }: TeamProps) {
    super(scope, id);
    const group = new Group(this, 'group', { name: 'data', description: 'The warehouse' });
    const pg = Backend.server(this, 'pg', {
      group,
      image: 'ghcr.io/acme/pg-mcp:1.8.1',
      transport: 'streamable-http',
      auth: personalToken(this, 'pg', stage),
      locked: catalog.pg,
    });

    const gateway = new TeamGateway(this, 'data', { stage, issuer, group });
    gateway.expose(pg.tools.list_tables, pg.tools.query);
    gateway.grant(Caller.group('analysts')).call(Tools.readOnly());
  }
}
