/** The formats of subscriptions. */
export const FORMATS = ['links', 'links_base64', 'xray', 'sing_box', 'clash', 'clash_meta', 'outline'] as const;
/** What a rule can give a client: a format, or nothing. */
export const TARGETS = [...FORMATS, 'block'] as const;
