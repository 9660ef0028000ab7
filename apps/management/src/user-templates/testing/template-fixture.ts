import type { EntityManager } from 'typeorm';
import { currentRevision } from '../../database/revision.js';
import { TestManagement } from '../../testing/test-management.js';
import { User } from '../../user-store/entities/user.entity.js';
import { after, changedUsersAfter } from '../../user-store/served/served-users.js';

export const TAG = 'Shadowsocks TCP';
export const GB = 1024 ** 3;
export const DAY = 86_400;

export const invalid = (detail: object) => ({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
export const TEMPLATE_NOT_FOUND = {
  status: 404,
  body: { detail: 'User Template not found', code: 'USER_TEMPLATE_NOT_FOUND' },
};
export const TEMPLATE_DISABLED = {
  status: 403,
  body: { detail: 'this template is disabled', code: 'USER_TEMPLATE_DISABLED' },
};

/** A management with the groups 1 and 2 and a plain admin, and helpers to create templates and to see what they changed. */
export class TemplateFixture {
  private templates = 0;

  private constructor(
    readonly management: TestManagement,
    /** The token of the plain admin. */
    readonly plain: string,
  ) {}

  static async start(): Promise<TemplateFixture> {
    const management = await TestManagement.start();
    const plain = await management.plainAdmin('plain');
    for (const name of ['one', 'two']) await management.call('POST', '/api/group', { name, inbound_tags: [TAG] });
    return new TemplateFixture(management, plain);
  }

  get manager(): EntityManager {
    return this.management.database.manager;
  }

  /** Creates a template, with group 1 unless `more` says otherwise, and returns its id. */
  async template(more: object = {}): Promise<number> {
    const request = { name: `template ${++this.templates}`, group_ids: [1], ...more };
    const { body } = await this.management.call('POST', '/api/user_template', request);
    return Number(Reflect.get(Object(body), 'id'));
  }

  /** The number of users and the revision, which a refused creation must not change. */
  async state() {
    return [await this.manager.count(User), await currentRevision(this.manager)];
  }

  /** The users who changed after a revision: the e-mail of each for nodes, and the tags of the inbounds. */
  async changedSince(revision: bigint): Promise<[email: string, inboundTags: readonly string[]][]> {
    const users = await changedUsersAfter(this.manager, after(revision), 1000);
    return users.map(({ email, inboundTags }) => [email, inboundTags]);
  }

  /** The names of the users who changed after a revision. */
  async namesSince(revision: bigint): Promise<string[]> {
    return (await this.changedSince(revision)).map(([email]) => email.replace(/^\d+\./, ''));
  }

  close(): Promise<void> {
    return this.management.close();
  }
}
