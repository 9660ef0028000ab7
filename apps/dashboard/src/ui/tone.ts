/** What a colour means. */
export type Tone = 'good' | 'bad' | 'warning' | 'info' | 'quiet';
