/** Most informational answers (status 1xx) of one call. Nodes send none, and intermediaries one or two. */
export const MAX_INFORMATIONAL_ANSWERS = 8;

/** The text of the error of a call with more of them. */
export const TOO_MANY_INFORMATIONAL_ANSWERS = 'the node sends informational answers without end';

/** Counts the informational answers of one call; calls `exceeded` with each that is too much. */
export function countInformationalAnswers(exceeded: () => void): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > MAX_INFORMATIONAL_ANSWERS) exceeded();
  };
}
