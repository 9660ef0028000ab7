import type { HostState } from '../../hosts/host-health.entity.js';
import { type Html, html, NOTHING } from './html.js';
import { PAGE_TEXTS, type PageLanguage } from './page-language.js';

/** A server of the user. */
export interface PageServer {
  readonly name: string;
  readonly link: string;
  /** What its last probes have found; undefined where it is not probed. */
  readonly state: HostState | undefined;
}

export function serversSection(servers: readonly PageServer[], language: PageLanguage): Html {
  const text = PAGE_TEXTS[language];
  if (servers.length === 0) return html`<section><h2>${text.servers}</h2><p>${text.noServers}</p></section>`;
  const items = servers.map(
    ({ name, link, state }, index) => html`<li><details><summary><bdi>${name}</bdi>${stateOf(state, language)}</summary>
<code id="link-${index}">${link}</code>${copyButton(`link-${index}`, language)}<canvas data-code="link-${index}"></canvas></details></li>
`,
  );
  return html`<section><h2>${text.servers}</h2><ul class="servers">${items}</ul></section>`;
}

function stateOf(state: HostState | undefined, language: PageLanguage): Html {
  if (state === undefined || state === 'unknown') return NOTHING;
  return html`<span class="state ${state}">${PAGE_TEXTS[language].serverStates[state]}</span>`;
}

/** A button that copies the text of an element; without JavaScript it is not shown. */
export const copyButton = (id: string, language: PageLanguage): Html =>
  html`<button type="button" class="button" data-copy="${id}">${PAGE_TEXTS[language].copy}</button>`;
