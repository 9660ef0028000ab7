import { type Html, html, NOTHING } from './html.js';
import { PAGE_TEXTS, type PageLanguage } from './page-text.js';

/** An application that the page offers. */
export interface PageApplication {
  readonly name: string;
  /** The link that opens it with this subscription; empty when there is none. */
  readonly importUrl: string;
  readonly recommended: boolean;
  /** The platform; empty for several platforms. */
  readonly platform: string;
  readonly description: string;
  readonly downloads: readonly { readonly name: string; readonly url: string }[];
}

/** Applications without a description are shown side by side, the others below each other. */
export function applicationList(applications: readonly PageApplication[], language: PageLanguage): Html {
  if (applications.length === 0) return NOTHING;
  const described = applications.filter(isDescribed);
  const plain = applications.filter((application) => !isDescribed(application));
  return html`<section><h2>${PAGE_TEXTS[language].addTo}</h2>
<div class="row">${plain.map((application) => button(application, language))}</div>
<ul>${described.map((application) => describedApplication(application, language))}</ul></section>`;
}

const isDescribed = ({ description, downloads }: PageApplication): boolean =>
  description !== '' || downloads.length > 0;

function describedApplication(application: PageApplication, language: PageLanguage): Html {
  const { description, downloads } = application;
  const links = downloads.map(({ name, url }) => html` <a href="${url}" rel="noreferrer"><bdi>${name}</bdi></a>`);
  const words = description === '' ? NOTHING : html`<p><bdi>${description}</bdi></p>`;
  return html`<li><div class="row">${button(application, language)}${links}</div>${words}</li>`;
}

function button({ name, platform, importUrl, recommended }: PageApplication, language: PageLanguage): Html {
  const notes = [platform, recommended ? PAGE_TEXTS[language].recommended : ''].filter((note) => note !== '');
  const words = html`<bdi>${name}</bdi>${notes.map((note) => html` <small>${note}</small>`)}`;
  if (importUrl === '') return html`<b>${words}</b>`;
  return html`<a class="app${recommended ? ' recommended' : ''}" href="${importUrl}">${words}</a>`;
}
