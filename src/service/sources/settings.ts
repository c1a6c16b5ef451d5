/** What a user has set for the sources; the configuration's part of it, in the service's own words. */
export type SourceSettings = {
  /**
   * Names of adapters, and the words `auto` (all that can be asked as things are), `sandbox` (the simulation
   * alone) and `archive`. A name that is not among them is refused.
   */
  wanted: readonly string[];
  /** How the operator of a source can reach whoever runs this: an address or a mailbox. */
  contact: string | undefined;
  /** Other addresses by name: a mirror, a proxy that caches. */
  addresses: Readonly<Record<string, string>>;
  encyclopedia: { language: string; dates: 'none' | 'edited' };
  bluesky: { handle: string; appPassword: string; server: string } | undefined;
  mastodon: { server: string; token: string | undefined };
  x: { bearerToken: string; usdPerDay: number } | undefined;
  /** An application that Reddit approved; where none is set, the first web source is asked for `site:reddit.com`. */
  reddit: { clientId: string; clientSecret: string; username: string } | undefined;
  lemmy: { server: string } | undefined;
  youtube: { apiKey: string } | undefined;
  searxng: { server: string } | undefined;
  brave: { apiKey: string } | undefined;
  tavily: { apiKey: string } | undefined;
  exa: { apiKey: string } | undefined;
};
