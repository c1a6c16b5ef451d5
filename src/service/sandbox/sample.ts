/** The topic to show a new user: one to three new posts a minute, so that something is always new. */
export const SAMPLE_TOPIC = {
  slug: 'harbour-festival',
  name: 'Harbour festival',
  prompt: 'harbour festival',
} as const;
