/** The description of each feature, in the order in which integrators meet them. */
export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  auth: 'Logging in: a name and a password become a bearer token.',
  'api tokens': 'Tokens with which programs act for an admin, each with a scope and, if wanted, an end.',
  admins: 'The accounts of operators. A sudo admin may do everything, any other has users of its own.',
  cores:
    'Configurations of the proxy engine. Nodes run them, and their inbounds are what groups and hosts refer to by tag.',
  groups: 'Groups connect users with inbounds: a user gets the inbounds of its groups that are not disabled.',
  hosts: 'Hosts are the server entries of subscriptions: what a host sets stands before what its inbound says.',
  'user templates': 'Presets of users, and the calls that make or change users by them.',
  users: 'The people who use the proxies: their terms, credentials and subscriptions, one by one and many at once.',
  subscriptions: 'What the client programs of users fetch by the secret token of a subscription, and who has fetched.',
  nodes: 'The machines that run the engine: their registration, their state, and what they report of this moment.',
  usage: 'The history of traffic, by user and by node, in hours.',
  settings: 'Settings that are kept in the database and hold for all replicas at once.',
  system: 'The machine that management runs on, and counts of users.',
  audit: 'The log of all changes: who changed what, from where, and how it was before.',
  health: 'Whether the service answers at all.',
  openapi: 'This document, and a page that shows it.',
};
