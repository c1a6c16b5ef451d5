/** A language model behind an OpenAI-compatible address: one question, one answer in JSON. */

export type LanguageModel = {
  /** As its operator calls it; for logs. */
  name: string;
  /**
   * @returns the text of its answer, as it came
   * @throws ModelFailed; or the signal's reason once it has aborted
   */
  ask(question: ModelQuestion, signal: AbortSignal): Promise<string>;
};

export type ModelQuestion = {
  system: string;
  user: string;
  /** The JSON schema that the answer must satisfy. */
  schema: Readonly<Record<string, unknown>>;
};
