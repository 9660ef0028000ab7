import { describe, expect, it } from '@jest/globals';
import { Html, html, NOTHING } from './html.js';

describe(html, () => {
  it('html escapes inserted texts', () => {
    const text = `</script><img src=x onerror="alert('&')">`;
    expect(html`<p title="${text}">${text}</p>`.text).toBe(
      '<p title="&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;&amp;&#39;)&quot;&gt;">' +
        '&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;&amp;&#39;)&quot;&gt;</p>',
    );
  });

  it('html inserts pieces, lists of pieces and numbers unchanged', () => {
    const items = [1, 2].map((number) => html`<li>${number}</li>`);
    expect(html`<ul>${items}</ul>${NOTHING}${new Html('<hr>')}`.text).toBe('<ul><li>1</li><li>2</li></ul><hr>');
  });
});
