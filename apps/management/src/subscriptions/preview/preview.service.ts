import { Injectable } from '@nestjs/common';
import { compileHosts, TemplateCache } from '@rampart/subscription';
import { DataSource } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { InboundCatalogue } from '../../core-store/inbound-catalogue.js';
import type { HostElement } from '../../hosts/host.dto.js';
import type { Host } from '../../hosts/host.entity.js';
import { HostService } from '../../hosts/host.service.js';
import { hostColumns } from '../../hosts/host.view.js';
import { findUser } from '../../user-store/find-user.js';
import { singBoxVersion } from '../client.js';
import { ruleFor } from '../client-rules.js';
import { preferredLanguage } from '../page/page-language.js';
import { renderSubscriptionOf } from '../render.js';
import { ruleHeaders, subscriptionHeaders } from '../subscription-headers.js';
import { SubscriptionPageService } from '../subscription-page.service.js';
import { type Subscription, SubscriptionReader } from '../subscription-reader.js';
import type { PreviewQuery, SubscriptionPreview } from './preview.dto.js';
import { PREVIEW_CLIENTS } from './preview-clients.js';
import { previewedHosts } from './previewed-hosts.js';

/** The id of a host that is not stored yet; no stored host has it. */
const UNSAVED_ID = 0;

type Answer = Pick<SubscriptionPreview, 'format' | 'headers' | 'document'>;

/** Shows what a client would get. Nothing is recorded: no fetch, no figure. */
@Injectable()
export class PreviewService {
  constructor(
    private readonly database: DataSource,
    private readonly reader: SubscriptionReader,
    private readonly pages: SubscriptionPageService,
    private readonly hosts: HostService,
    private readonly catalogue: InboundCatalogue,
  ) {}

  /** @param draft a host that is not saved; it replaces the stored one with its id */
  async preview(
    actor: Actor,
    username: string,
    { client = '' }: PreviewQuery,
    draft?: HostElement,
  ): Promise<SubscriptionPreview> {
    const { manager } = this.database;
    const { id: userId, subscription_generation: generation } = await findUser(manager, actor, username);
    const stored = await this.hosts.validHosts(manager);
    const hosts = draft ? withDraft(stored, draft) : stored;
    const subscription = await this.reader.readSubject({ userId, generation });
    const compiled = compileHosts(served(hosts, subscription, draft?.id), await this.catalogue.inbounds());
    // Templates are cached by compiled host, and these hosts are compiled for this preview only.
    const snapshot = { ...subscription.snapshot, hosts: compiled, templates: new TemplateCache() };
    const previewed = { ...subscription, snapshot };
    const userAgent = PREVIEW_CLIENTS.get(client.toLowerCase()) ?? client;
    const answer = await this.answer(previewed, userAgent);
    const shown = previewedHosts(previewed, hosts, answer.format === 'page' ? 'links' : answer.format, userAgent);
    return {
      client: userAgent,
      ...answer,
      hosts: actor.isSudo ? shown : shown.filter(({ reason }) => reason !== 'not_granted' && reason !== 'disabled'),
    };
  }

  private async answer(subscription: Subscription, userAgent: string): Promise<Answer> {
    const { settings } = subscription;
    const rule = ruleFor(settings.rules, userAgent);
    const refused = { format: null, headers: {}, document: null };
    if (rule?.target === 'block') return refused;
    if (/^Mozilla\//.test(userAgent) && !settings.disable_sub_template) {
      const { headers, body } = await this.pages.page(subscription, { language: preferredLanguage(), userAgent });
      return { format: 'page', headers, document: body.toString() };
    }
    if (!rule) return refused;
    const { body, contentType, values } = renderSubscriptionOf(subscription, rule.target, singBoxVersion(userAgent));
    const headers = { ...subscriptionHeaders(subscription), 'content-type': contentType, ...ruleHeaders(rule, values) };
    return { format: rule.target, headers, document: body.toString() };
  }
}

/** The unsaved host in the place of the stored one with its id; a host that is not stored is new. */
function withDraft(stored: readonly Host[], draft: HostElement): Host[] {
  const known = stored.find(({ id }) => id === draft.id);
  const host = { id: known?.id ?? UNSAVED_ID, ...hostColumns(draft) };
  return [...stored.filter(({ id }) => id !== host.id), host];
}

/** Without the hosts that subscriptions leave out while they fail their probes. What is previewed before a save stays. */
function served(hosts: readonly Host[], { snapshot }: Subscription, draftId: number | null | undefined): Host[] {
  const { hosts: compiled, problems } = snapshot.hosts;
  const ids = new Set([...compiled.map(({ id }) => id), ...problems.map(({ hostId }) => hostId)]);
  return hosts.filter(({ id, isDisabled }) => isDisabled || id === UNSAVED_ID || id === draftId || ids.has(id));
}
