/** Receives the messages and the progress of the installer. */
export interface Reporter {
  /** Reports one line of text. */
  say(line: string): void;
  /** Reports the progress of an activity, 0 to 100. */
  percent(activity: string, percent: number): void;
  /** Reports that an activity of unknown length is still running after so many seconds. */
  seconds(activity: string, seconds: number): void;
}

/** The part of `process.stderr` that a console reporter uses. */
export interface Screen {
  isTTY?: boolean;
  write(text: string): unknown;
}

const PERCENT_STEP = 25;
const SECONDS_STEP = 15;

/** Writes progress as one changing line on a terminal, and as a line from time to time in a log. */
export function consoleReporter(screen: Screen): Reporter {
  let lineIsOpen = false;
  let lastState = '';
  let lastMilestone = '';

  const say = (line: string): void => {
    screen.write(lineIsOpen ? `\n${line}\n` : `${line}\n`);
    lineIsOpen = false;
  };
  const progress = (activity: string, state: string, milestone: number): void => {
    const line = `  ${activity}: ${state}`;
    if (screen.isTTY) {
      if (line !== lastState) screen.write(`\r${line}\x1b[K`);
      lineIsOpen = true;
    } else if (milestone > 0 && lastMilestone !== `${activity} ${milestone}`) {
      lastMilestone = `${activity} ${milestone}`;
      say(line);
    }
    lastState = line;
  };
  return {
    say,
    percent: (activity, percent) => progress(activity, `${percent} %`, Math.floor(percent / PERCENT_STEP)),
    seconds: (activity, seconds) => progress(activity, `${seconds} s`, Math.floor(seconds / SECONDS_STEP)),
  };
}
