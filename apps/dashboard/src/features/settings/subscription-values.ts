import type { StoredSettings } from './settings-queries';

/** What the form of subscriptions shows; rules and applications have forms of their own. */
export const subscriptionValues = ({ subscription: stored }: StoredSettings) => ({
  profile_title: stored.profile_title ?? '',
  support_url: stored.support_url ?? '',
  logo: stored.logo ?? '',
  announce: stored.announce ?? '',
  announce_url: stored.announce_url ?? '',
  url_prefix: stored.url_prefix ?? '',
  update_interval: (stored.update_interval ?? '') as number | string,
  server_ip: stored.server_ip ?? '',
  server_ipv6: stored.server_ipv6 ?? '',
  host_status_filter: stored.host_status_filter ?? true,
  randomize_order: stored.randomize_order ?? false,
  disable_sub_template: stored.disable_sub_template ?? false,
  manual_sub_request: stored.manual_sub_request ?? {},
});
